"""What a user of plain torch writes for the single operations, with PyG's ``subgraph`` where a graph is cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

LEARNING_RATE, BATCH = 0.01, 128  # as in the examples of PyG and OGB


def relu_dropout(x: Tensor, p: float) -> Tensor:
    return F.dropout(torch.relu(x), p, True)


def pair_product(h: Tensor, pairs: Tensor) -> Tensor:
    return h[pairs[0]] * h[pairs[1]]


class Rows(NamedTuple):
    """Neighbours grouped by node, and the edges as they were given."""

    indptr: Tensor
    indices: Tensor
    edge_index: Tensor


def graph(edge_index: Tensor, num_nodes: int) -> Rows:
    counts = torch.bincount(edge_index[0], minlength=num_nodes)
    indptr = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    return Rows(indptr, edge_index[1][edge_index[0].argsort(stable=True)], edge_index)


def random_walks(graph: Rows, starts: Tensor, steps: int) -> Tensor:
    """Uniform walks, all of them a step at a time; a node without neighbours is not left."""
    degree, walks = graph.indptr.diff(), [starts]
    for _ in range(steps):
        here = walks[-1]
        place = graph.indptr[here] + (torch.rand(len(here)) * degree[here]).long()
        walks.append(torch.where(degree[here] > 0, graph.indices[place.clamp(max=len(graph.indices) - 1)], here))
    return torch.stack(walks, dim=1)


def walk_embedding(graph: Rows, spec: dict[str, Any]) -> Tensor:
    """Skip-gram from ``spec["starts"]`` nodes: windows cut out of walks, as many of random nodes, SparseAdam."""
    nodes = len(graph.indptr) - 1
    vectors = torch.nn.Embedding(nodes, spec["dim"], sparse=True)
    optimiser = torch.optim.SparseAdam(vectors.parameters(), lr=LEARNING_RATE)

    def scores(walks: Tensor) -> Tensor:
        windows: Tensor = vectors(walks.unfold(1, spec["window"], 1).flatten(0, 1))
        return (windows[:, :1] * windows[:, 1:]).sum(-1)

    for batch in torch.randperm(nodes)[: spec["starts"]].split(BATCH):
        walks = random_walks(graph, batch.repeat(spec["walks_per_node"]), spec["walk_length"] - 1)
        noise = torch.cat([walks[:, :1], torch.randint(nodes, walks[:, 1:].shape)], dim=1)
        optimiser.zero_grad()
        (-F.logsigmoid(scores(walks)).mean() - F.logsigmoid(-scores(noise)).mean()).backward()
        optimiser.step()
    return vectors.weight.detach()


def saint_walks(graph: Rows, spec: dict[str, Any]) -> Callable[[int], Iterator[tuple[int, int]]]:
    from torch_geometric.utils import subgraph

    def epoch(number: int) -> Iterator[tuple[int, int]]:
        for _ in range(spec["batches"]):
            starts = torch.randint(spec["nodes"], (spec["roots"],))
            nodes = random_walks(graph, starts, spec["length"]).unique()
            edges, _ = subgraph(nodes, graph.edge_index, relabel_nodes=True, num_nodes=spec["nodes"])
            yield len(nodes), edges.size(1)

    return epoch


SAMPLERS = {"saint walks": saint_walks}
