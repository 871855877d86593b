"""R-MAT: power-law graphs of any size, drawn bit by bit in blocks."""

from __future__ import annotations

import numpy as np
import torch

from agdn.data.dataset import Dataset
from agdn.data.errors import DataError
from agdn.data.pairs import symmetric_graph
from agdn.data.splits import random_split
from agdn.graph import Graph

BLOCK = 2**21


def rmat(
    *,
    num_nodes: int = 10_000,
    num_edges: int = 100_000,
    num_features: int = 16,
    num_classes: int = 8,
    corners: tuple[float, float, float] = (0.57, 0.19, 0.19),
    seed: int = 0,
) -> Dataset:
    """``num_edges`` links drawn with the Graph 500 corner probabilities; repeated ones and self-loops are dropped.

    Both directions of what is left are in the graph. The class of a node is the strongest direction in the mean of
    its neighbours' features, so that there is something to learn from the graph.

    Args:
        num_nodes: Number of nodes.
        num_edges: Links that are drawn.
        num_features: Width of the features.
        num_classes: Number of classes.
        corners: Probabilities of three corners of the adjacency; the fourth has the rest.
    """
    if num_nodes < 2 or num_edges < 0 or min(corners) < 0 or sum(corners) > 1:
        raise DataError("rmat needs two nodes or more, and corners that are shares of at most 1 together")
    rng = np.random.default_rng(seed)
    blocks = [_draw(num_nodes, min(BLOCK, num_edges - start), corners, rng) for start in range(0, num_edges, BLOCK)]
    pairs = np.concatenate(blocks) if blocks else np.empty((0, 2), np.int64)
    graph = symmetric_graph(rng.permutation(num_nodes)[pairs], num_nodes)
    x = torch.from_numpy(rng.standard_normal((num_nodes, num_features), dtype=np.float32))
    directions = torch.from_numpy(rng.standard_normal((num_features, num_classes), dtype=np.float32))
    return Dataset(
        name="rmat",
        graph=graph,
        target="class",
        metric="accuracy",
        splits=(random_split(num_nodes, seed=seed),),
        x=x,
        y=(_neighbour_sum(graph, x) @ directions).argmax(1),
    )


def _draw(num_nodes: int, count: int, corners: tuple[float, float, float], rng: np.random.Generator) -> np.ndarray:
    """``(count, 2)`` pairs; each bit of the two ids picks a quarter of the matrix, pairs outside it are redrawn."""
    bits = max(int(num_nodes - 1).bit_length(), 1)
    upper_left, upper_right, lower_left = np.cumsum(corners).astype(np.float32)
    kept: list[np.ndarray] = []
    missing = count
    while missing > 0:
        source, target = np.zeros(missing, np.int64), np.zeros(missing, np.int64)
        for _ in range(bits):
            draw = rng.random(missing, dtype=np.float32)
            below = draw >= upper_right
            right = ((draw >= upper_left) & ~below) | (draw >= lower_left)
            source = 2 * source + below
            target = 2 * target + right
        inside = (source < num_nodes) & (target < num_nodes)
        kept.append(np.stack([source[inside], target[inside]], axis=1))
        missing -= int(inside.sum())
    return np.concatenate(kept) if kept else np.empty((0, 2), np.int64)


def _neighbour_sum(graph: Graph, x: torch.Tensor) -> torch.Tensor:
    from scipy import sparse

    ones = np.ones(graph.num_edges, np.float32)
    shape = (graph.num_nodes, graph.num_nodes)
    adjacency = sparse.csr_matrix((ones, graph.indices.numpy(), graph.indptr.numpy()), shape=shape)
    return torch.from_numpy(adjacency @ x.numpy())
