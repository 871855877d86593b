"""A balanced tree over labels, so that ranking them costs a few clusters and not all of them.

Labels with similar features come to lie side by side: every cluster is halved by k-means of two clusters that must be
of one size (spherical, so on directions), until each label is alone. Every ``log2 fanout``-th of these halvings is a
level of the tree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from agdn.ops.checks import check_seed

ROUNDS = 6  # of assigning and averaging, a halving


@dataclass(frozen=True)
class LabelTree:
    """N labels as the leaves of a tree.

    Attributes:
        order: (N,) the label at each leaf, from left to right.
        bounds: A level each from the root (one cluster) to the leaves (N of them): cluster c of a level holds the
            leaves bounds[c]:bounds[c + 1].
    """

    order: Tensor
    bounds: tuple[Tensor, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Clusters of every level below the root."""
        return tuple(len(bounds) - 1 for bounds in self.bounds[1:])

    def clusters(self, level: int) -> Tensor:
        """(N,) int32: the cluster of every label at a level; 0 is the root's."""
        leaf = torch.empty_like(self.order)
        leaf[self.order] = torch.arange(len(self.order))
        return (torch.searchsorted(self.bounds[level], leaf, right=True) - 1).int()

    def children(self, level: int) -> Tensor:
        """(P + 1,): the children at ``level`` of cluster p of the level above are children[p]:children[p + 1]."""
        return torch.searchsorted(self.bounds[level], self.bounds[level - 1])


def balanced_tree(features: Tensor, *, fanout: int = 16, seed: int = 0) -> LabelTree:
    """A tree over the rows of (N, F) ``features``, in which clusters of one level differ by at most one label.

    A cluster has up to ``fanout`` children, a power of two, and the root up to its square.
    """
    check_fanout(fanout)
    check_seed(seed)
    x = torch.nn.functional.normalize(features.float()).numpy()
    depths, random = _depths(len(x), fanout), np.random.default_rng(seed)
    order, bounds = np.arange(len(x)), np.array([0, len(x)])
    levels, depth = [bounds], 0
    while len(bounds) - 1 < len(x):
        order, bounds = _halved(x, order, bounds, random)
        depth += 1
        if depth in depths:
            levels.append(bounds)
    if len(levels[-1]) - 1 < len(x):
        levels.append(bounds)
    return LabelTree(torch.from_numpy(order), tuple(map(torch.from_numpy, levels)))


def check_fanout(fanout: int) -> None:
    if fanout < 2 or fanout & (fanout - 1):
        raise ValueError(f"fanout must be a power of two from 2 on, got {fanout}")


def _depths(count: int, fanout: int) -> set[int]:
    """The halvings after which a level is kept, counted from where clusters have at most ``fanout`` labels."""
    step = fanout.bit_length() - 1
    lowest = max(0, (max(count, 1) - 1).bit_length() - step)
    return {depth for depth in range(lowest, 0, -step) if depth >= step}


def _halved(
    x: np.ndarray, order: np.ndarray, bounds: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Every cluster in two; one of a single label stays."""
    sizes = np.diff(bounds)
    first, clusters = bounds[:-1], np.repeat(np.arange(len(sizes)), sizes)
    left = (sizes + 1) // 2
    on_left = np.arange(len(x)) - first[clusters] < left[clusters]
    share = np.where(on_left, 1 / left[clusters], -1 / np.maximum(1, sizes - left)[clusters]).astype(np.float32)
    ends = [first + (random.random(len(sizes)) * sizes).astype(np.int64) for _ in range(2)]
    direction = x[order[ends[0]]] - x[order[ends[1]]]
    for _ in range(ROUNDS):
        score = np.einsum("nf,nf->n", x[order], direction[clusters])
        order = order[np.lexsort((-score, clusters))]
        direction = np.add.reduceat(x[order] * share[:, None], first, axis=0)  # mean of the left half minus the right's
    return order, np.union1d(bounds, first + left)
