"""DeepWalk and node2vec: nodes that random walks visit together get similar vectors.

Windows are those of PyG's ``Node2Vec`` and of the OGB baselines. Training is synchronous in batches of walks, so that
it uses all cores and still gives the same bits for the same seed; :mod:`agdn.ops.skipgram` says how and why.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.checks import check_counts, check_positive, check_seed
from agdn.ops.skipgram import SkipGram
from agdn.ops.walks import random_walks

Progress = Callable[[str, float], None]

LARGEST_BATCH = 1024  # walks; a batch visits a node about once on average, or less, whatever the size of the graph
SMALLEST_BATCH = 16
NOISE_POWER = 0.75  # of a node's degree, as word2vec has it: hubs are random contexts more often, but not that much
NOISE_COPIES = 8  # of a node in the noise, on average


def walk_embedding(
    graph: Graph,
    *,
    dim: int = 128,
    walk_length: int = 40,
    window: int = 20,
    walks_per_node: int = 10,
    p: float = 1.0,
    q: float = 1.0,
    negatives: int = 1,
    epochs: int = 1,
    lr: float = 0.1,
    undirected: bool = True,
    edge_weight: Tensor | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Tensor:
    """(N, dim) float32 vectors of the nodes.

    A node without edges keeps the small random vector that it starts from.

    Args:
        walk_length: Nodes of a walk, its start among them.
        window: Nodes of a window: a centre and the nodes that follow it on the walk.
        walks_per_node: Walks from every node in an epoch.
        p, q: Return and in-out parameter of node2vec; both 1 is DeepWalk.
        negatives: Windows of random nodes for every window of a walk.
        lr: Step of the first batch; it falls linearly to 0.
        undirected: Walk along every edge in both directions.
        edge_weight: (E,) in the caller's edge order: steps are drawn in proportion to it.
        seed: Fixes every bit of the result.
        progress: Called with a stage and the fraction done.
    """
    _check(graph, edge_weight, window=window, walk_length=walk_length, lr=lr, seed=seed)
    check_counts(dim=dim, walks_per_node=walks_per_node, negatives=negatives, epochs=epochs)
    walked = graph.to("cpu")
    if undirected:
        walked = walked.undirected()
        edge_weight = None if edge_weight is None else walked.carry(edge_weight.cpu())
    sources = walked.out_degree.nonzero().squeeze(1)
    generator = torch.Generator().manual_seed(seed)
    model = SkipGram(
        graph.num_nodes, dim, noise=_noise(walked), window=window, negatives=negatives, generator=generator
    )
    batch = min(LARGEST_BATCH, max(SMALLEST_BATCH, len(sources) // walk_length))
    rounds = epochs * walks_per_node
    for turn in range(rounds):
        starts = sources[torch.randperm(len(sources), generator=generator)]
        walks = random_walks(walked, starts, walk_length - 1, p=p, q=q, edge_weight=edge_weight, seed=_draw(generator))
        for first in range(0, len(walks), batch):
            done = (turn + first / len(walks)) / rounds
            if progress is not None:
                progress("walks", done)
            model.step(walks[first : first + batch], lr=lr * (1 - done), seed=_draw(generator))
    if progress is not None:
        progress("walks", 1.0)
    return model.table


def _noise(graph: Graph) -> Tensor:
    """The nodes with edges, each as often as its degree says."""
    degree = (graph.in_degree + graph.out_degree).double() ** NOISE_POWER
    copies = (NOISE_COPIES * degree / degree[degree > 0].mean()).round().clamp(min=1).long()
    nodes = torch.arange(graph.num_nodes, dtype=graph.indices.dtype)
    return nodes.repeat_interleave(copies.where(degree > 0, 0))


def _draw(generator: torch.Generator) -> int:
    return int(torch.randint(2**62, (), generator=generator))


def _check(graph: Graph, edge_weight: Tensor | None, *, window: int, walk_length: int, lr: float, seed: int) -> None:
    if not 2 <= window <= walk_length:
        raise ValueError(f"window must lie in 2..{walk_length}, the nodes of a walk (walk_length); got {window}")
    check_positive(lr=lr)
    check_seed(seed)
    if edge_weight is not None and edge_weight.shape != (graph.num_edges,):
        shape = tuple(edge_weight.shape)
        raise ValueError(f"edge_weight must be one number for each of the {graph.num_edges} edges, got shape {shape}")
