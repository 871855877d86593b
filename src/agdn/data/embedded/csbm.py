"""The contextual stochastic block model: classes show in the links and in the features, as strongly as asked."""

from __future__ import annotations

import numpy as np
import torch

from agdn.data.dataset import Dataset
from agdn.data.errors import DataError
from agdn.data.pairs import sorted_unique, symmetric_graph
from agdn.data.splits import random_split


def csbm(
    *,
    num_nodes: int = 1000,
    num_classes: int = 4,
    num_features: int = 16,
    degree: float = 10.0,
    homophily: float = 0.8,
    signal: float = 1.0,
    seed: int = 0,
) -> Dataset:
    """Every pair of nodes is linked by chance: a node has ``degree`` links, ``homophily`` of them within its class.

    Features are unit Gaussians around a random centre for each class, ``signal`` away from the origin.

    Args:
        num_nodes: Number of nodes.
        num_classes: Number of classes, of equal size.
        num_features: Width of the features.
        degree: Links of a node, on average.
        homophily: Share of them within the node's class.
        signal: Distance of the classes' centres from the origin, in units of the noise.
    """
    if not 0 <= homophily <= 1 or num_classes < 2 or num_nodes < 2 * num_classes:
        raise DataError("csbm needs a homophily in 0..1, two classes or more, and two nodes a class or more")
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(num_nodes) % num_classes)
    members = [np.flatnonzero(y == label) for label in range(num_classes)]
    size = num_nodes / num_classes
    within, between = degree * homophily / (size - 1), degree * (1 - homophily) / (num_nodes - size)
    if max(within, between) > 1:
        raise DataError(f"csbm: degree={degree} is more than {num_nodes} nodes in {num_classes} classes can have")
    blocks = [
        _block(members[first], members[second], within if first == second else between, rng)
        for first in range(num_classes)
        for second in range(first, num_classes)
    ]
    centres = rng.normal(size=(num_classes, num_features))
    centres *= signal / np.linalg.norm(centres, axis=1, keepdims=True)
    x = centres[y] + rng.normal(size=(num_nodes, num_features))
    return Dataset(
        name="csbm",
        graph=symmetric_graph(np.concatenate(blocks), num_nodes),
        target="class",
        metric="accuracy",
        splits=(random_split(num_nodes, seed=seed),),
        x=torch.from_numpy(x.astype(np.float32)),
        y=torch.from_numpy(y.astype(np.int64)),
    )


def _block(first: np.ndarray, second: np.ndarray, chance: float, rng: np.random.Generator) -> np.ndarray:
    """Links between two classes: a binomial number of different pairs, each pair equally likely."""
    same = first is second
    possible = len(first) * (len(first) - 1) // 2 if same else len(first) * len(second)
    chosen = _distinct(possible, int(rng.binomial(possible, chance)), rng)
    if not same:
        return np.stack([first[chosen // len(second)], second[chosen % len(second)]], axis=1)
    high = ((1 + np.sqrt(1 + 8 * chosen.astype(np.float64))) / 2).astype(np.int64)  # pair k = high(high-1)/2 + low
    high -= high * (high - 1) // 2 > chosen
    high += high * (high + 1) // 2 <= chosen
    return np.stack([first[chosen - high * (high - 1) // 2], first[high]], axis=1)


def _distinct(limit: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """``count`` different numbers below ``limit``, without listing all of them where few are wanted."""
    if 4 * count > limit:
        return rng.permutation(limit)[:count]
    drawn = np.empty(0, np.int64)
    while len(drawn) < count:
        drawn = sorted_unique(np.concatenate([drawn, rng.integers(limit, size=count - len(drawn) + 16)]))
    return rng.permutation(drawn)[:count]
