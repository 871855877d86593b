"""agdn itself. The environment variable AGDN_KERNELS decides between the kernels and the plain torch path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from agdn import embedding, ops
from agdn.bench import inputs
from agdn.graph import Graph
from agdn.models import SGC, SIGN, SSGC
from agdn.models.agdn import AGDN
from agdn.models.propagated_first import PropagatedFirst
from agdn.nn.conv import AGDNConv
from agdn.ops import heuristics, normalised_adjacency
from agdn.ops.enclosing import enclosing_subgraphs
from agdn.sampling import NeighbourSampler, RandomPartition, SaintWalk, Sampler, batches

TAKES_WEIGHTS = True
keep_freed_memory = ops.reuse_freed_memory

Sizes = Callable[[int], Iterator[tuple[int, int]]]  # the nodes and edges of each batch of an epoch


def graph(edge_index: Tensor, num_nodes: int) -> Graph:
    return Graph(edge_index, num_nodes)


def layer(in_channels: int, spec: dict[str, Any]) -> nn.Module:
    return AGDNConv(in_channels, spec["channels"], hops=spec["hops"], heads=spec["heads"], memory=spec["memory"])


def model(in_channels: int, spec: dict[str, Any]) -> nn.Module:
    return AGDN.preset("arxiv", in_channels, spec["classes"], hidden_channels=spec["channels"], memory=spec["memory"])


def prepared(edge_index: Tensor, num_nodes: int, spec: dict[str, Any]) -> Graph:
    made = Graph(edge_index, num_nodes)
    normalised_adjacency(made, "sym")  # kept from now on
    return made


def baseline(name: str, in_channels: int, classes: int) -> nn.Module:
    return inputs.baseline(name, in_channels, classes)


@torch.no_grad()
def precomputed(name: str, x: Tensor, graph: Graph) -> Tensor:
    model, hops = name.split(", K = ")
    chosen: dict[str, Callable[..., PropagatedFirst]] = {
        "SGC": SGC,
        "S2GC": SSGC,
        "SIGN": partial(SIGN, hidden_channels=1),
    }
    network = chosen[model](in_channels=x.size(1), out_channels=1, hops=int(hops))
    return network.propagate(x, normalised_adjacency(graph, "sym"), graph)


def link_model(spec: dict[str, Any]) -> nn.Module:
    return inputs.ddi_model(spec["nodes"], spec["channels"], memory=spec["memory"])


def relu_dropout(x: Tensor, p: float) -> Tensor:
    return ops.relu_dropout(x, p, True)


def pair_product(h: Tensor, pairs: Tensor) -> Tensor:
    return ops.pair_product(h, pairs)


def random_walks(graph: Graph, starts: Tensor, steps: int, *, p: float = 1.0, q: float = 1.0) -> Tensor:
    return ops.random_walks(graph, starts, steps, p=p, q=q, seed=0)


def walk_embedding(graph: Graph, spec: dict[str, Any]) -> Tensor:
    shape = {name: spec[name] for name in ("dim", "walk_length", "window", "walks_per_node")}
    return embedding.walk_embedding(graph, **shape)


def neighbours(graph: Graph, spec: dict[str, Any]) -> Sizes:
    seeds = torch.randperm(graph.num_nodes)[: spec["batch_size"] * spec["batches"]]
    return _sizes(NeighbourSampler(graph, seeds, spec["fanouts"], batch_size=spec["batch_size"]))


def partition(graph: Graph, spec: dict[str, Any]) -> Sizes:
    return _sizes(RandomPartition(graph, spec["parts"]))


def saint_walks(graph: Graph, spec: dict[str, Any]) -> Sizes:
    return _sizes(SaintWalk(graph, spec["roots"], spec["length"], batches=spec["batches"]))


def _sizes(sampler: Sampler) -> Sizes:
    def epoch(number: int) -> Iterator[tuple[int, int]]:
        for batch in batches(sampler, number, prefetch=0):
            yield len(batch.nodes), batch.graph.num_edges

    return epoch


def enclosing(graph: Graph, pairs: Tensor, spec: dict[str, Any]) -> Tensor:
    found = enclosing_subgraphs(graph, pairs, spec["hops"])
    nodes, edges = found.ptr.diff(), found.graph.indptr[found.ptr].diff()
    return torch.stack([nodes, edges - nodes])  # without a self-loop a node


PAIR_SCORES = {
    "common neighbours": heuristics.common_neighbours,
    "Adamic-Adar": heuristics.adamic_adar,
    "resource allocation": heuristics.resource_allocation,
}
SAMPLERS = {"neighbours": neighbours, "partition": partition, "saint walks": saint_walks}
