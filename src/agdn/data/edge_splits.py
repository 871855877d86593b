"""Link prediction from a whole graph: part its edges and draw negatives, so that no part knows another's answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from agdn.data.dataset import Dataset, EdgeSplit
from agdn.data.errors import DataError
from agdn.data.pairs import sorted_unique
from agdn.graph import Graph

ENUMERABLE = 20_000_000  # pairs that are listed one by one; larger graphs are sparse enough to draw and reject


def split_edges(dataset: Dataset, *, valid: float = 0.05, test: float = 0.1, seed: int = 0) -> Dataset:
    """The dataset for link prediction: its graph keeps the training edges alone.

    ``(u, v)`` and ``(v, u)`` always fall into the same part. In a symmetric graph each pair is listed once, as
    ``u < v``. There are as many negatives as positives; none is an edge of any part, in either direction.
    """
    if valid < 0 or test < 0 or valid + test >= 1:
        raise DataError(f"split_edges: valid and test are shares below 1 together, got {valid} and {test}")
    graph, rng = dataset.graph, np.random.default_rng(seed)
    source, target = graph.edge_index.numpy()
    keys = np.minimum(source, target) * max(graph.num_nodes, 1) + np.maximum(source, target)
    loops = source == target
    pairs, pair_of_edge = np.unique(keys[~loops], return_inverse=True)
    part_of_pair = np.zeros(len(pairs), np.int8)
    order = rng.permutation(len(pairs))
    num_valid, num_test = round(valid * len(pairs)), round(test * len(pairs))
    part_of_pair[order[:num_valid]] = 1
    part_of_pair[order[num_valid : num_valid + num_test]] = 2
    part_of_edge = np.zeros(len(keys), np.int8)
    part_of_edge[~loops] = part_of_pair[pair_of_edge]

    symmetric = _is_symmetric(source, target, graph.num_nodes)
    listed = ~loops & ((source < target) | (not symmetric))
    train, held, asked = (_unique_pairs(source, target, listed & (part_of_edge == part)) for part in range(3))
    num_held = held.size(1)
    negatives = _negatives(pairs, num_held + asked.size(1), graph.num_nodes, ordered=not symmetric, rng=rng)
    kept = torch.from_numpy(np.flatnonzero(part_of_edge == 0))
    return replace(
        dataset,
        graph=Graph(graph.edge_index[:, kept], graph.num_nodes),
        target="link",
        metric=dataset.metric if dataset.target == "link" else "rocauc",
        splits=(EdgeSplit(train, held, asked, negatives[:, :num_held], negatives[:, num_held:]),),
        edge_attr=None if dataset.edge_attr is None else dataset.edge_attr[kept],
        edge_weight=None if dataset.edge_weight is None else dataset.edge_weight[kept],
        extra={name: column[kept] if name.startswith("edge_") else column for name, column in dataset.extra.items()},
    )


def _is_symmetric(source: np.ndarray, target: np.ndarray, num_nodes: int) -> bool:
    forward, backward = source * num_nodes + target, target * num_nodes + source
    return np.array_equal(sorted_unique(forward), sorted_unique(backward))


def _unique_pairs(source: np.ndarray, target: np.ndarray, mask: np.ndarray) -> Tensor:
    """The edges under the mask in their order, repeated ones once."""
    pairs = np.stack([source[mask], target[mask]])
    _, first = np.unique(pairs[0] * (pairs.max(initial=0) + 1) + pairs[1], return_index=True)
    return torch.from_numpy(pairs[:, np.sort(first)])


def _negatives(pairs: np.ndarray, count: int, num_nodes: int, *, ordered: bool, rng: np.random.Generator) -> Tensor:
    """``(2, count)`` different pairs that are no edges; ``pairs`` are the sorted keys of those that are."""
    possible = num_nodes * (num_nodes - 1) // 2
    if possible - len(pairs) < count:
        raise DataError(
            f"split_edges: {count} negatives are needed, but only {possible - len(pairs)} pairs are not joined; "
            "take smaller shares"
        )
    if possible <= ENUMERABLE:
        low, high = np.triu_indices(num_nodes, k=1)
        free = np.setdiff1d(low * num_nodes + high, pairs, assume_unique=True)
        drawn = rng.choice(free, count, replace=False)
    else:
        drawn = np.empty(0, np.int64)
        while len(drawn) < count:
            ends = np.sort(rng.integers(num_nodes, size=(2, 2 * (count - len(drawn)) + 64)), axis=0)
            keys = ends[0][ends[0] != ends[1]] * num_nodes + ends[1][ends[0] != ends[1]]
            keys = keys[~np.isin(keys, pairs)]
            together = np.concatenate([drawn, keys])
            _, first = np.unique(together, return_index=True)
            drawn = together[np.sort(first)][:count]
    negatives = np.stack([drawn // max(num_nodes, 1), drawn % max(num_nodes, 1)])
    if ordered:
        flipped = rng.random(count) < 0.5
        negatives[:, flipped] = negatives[::-1, flipped]
    return torch.from_numpy(negatives)
