"""Edges -> an edge split for link prediction, with both directions of a pair always in the same part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from agdn.data.dataset import EdgeSplit
from agdn.data.errors import DataError
from agdn.data.tables.split import Parts, by_chance, by_time, require_parts

ENUMERATED = 2_000_000  # node pairs up to which non-edges are listed rather than guessed


def link_split(
    ends: np.ndarray,
    num_nodes: int,
    fractions: Sequence[float],
    *,
    seed: int,
    directed: bool,
    time: np.ndarray | None = None,
) -> tuple[EdgeSplit, np.ndarray]:
    """The edge split, and the positions of the training edges, which alone carry messages."""
    parts = split_edges(ends, num_nodes, fractions, seed=seed, time=time)
    train, valid, test = (_distinct(ends[:, part], num_nodes, directed=directed) for part in parts)
    false = negatives(ends, num_nodes, valid.shape[1] + test.shape[1], seed=seed)
    edge_split = EdgeSplit(
        train=torch.from_numpy(train),
        valid=torch.from_numpy(valid),
        test=torch.from_numpy(test),
        valid_negative=torch.from_numpy(false[:, : valid.shape[1]].copy()),
        test_negative=torch.from_numpy(false[:, valid.shape[1] :].copy()),
    )
    return edge_split, parts[0]


def split_edges(
    ends: np.ndarray, num_nodes: int, fractions: Sequence[float], *, seed: int, time: np.ndarray | None = None
) -> Parts:
    """Positions of edges by part: unordered pairs are drawn (or, with ``time``, ordered by their first time)."""
    keys = pair_keys(ends, num_nodes)
    pairs, pair_of = np.unique(keys, return_inverse=True)
    rows = np.arange(len(pairs))
    if time is None:
        chosen = by_chance(rows, fractions, seed)
    else:
        earliest = np.full(len(pairs), np.inf)
        np.minimum.at(earliest, pair_of, time)
        chosen = by_time(rows, earliest, fractions)
    require_parts(chosen, "of the edges")
    part_of = np.full(len(pairs), -1)
    for part, members in enumerate(chosen):
        part_of[members] = part
    of_edge = part_of[pair_of]
    return (np.flatnonzero(of_edge == 0), np.flatnonzero(of_edge == 1), np.flatnonzero(of_edge == 2))


def negatives(ends: np.ndarray, num_nodes: int, count: int, *, seed: int) -> np.ndarray:
    """(2, count) different ordered pairs of different nodes that no edge joins in either direction."""
    joined = np.unique(pair_keys(ends, num_nodes))
    joined = joined[joined // num_nodes != joined % num_nodes]
    free = num_nodes * (num_nodes - 1) // 2 - len(joined)
    if free < count:
        raise DataError(
            f"the graph has {free} pairs without an edge, but {count} negatives are needed; lower the shares"
        )
    generator = np.random.default_rng(seed)
    if num_nodes * num_nodes <= ENUMERATED:
        low, high = np.triu_indices(num_nodes, 1)
        keys = np.setdiff1d(low * num_nodes + high, joined)
        keys = generator.choice(keys, size=count, replace=False)
    else:
        keys = _guessed(joined, num_nodes, count, generator)
    pairs = np.stack([keys // num_nodes, keys % num_nodes])
    swapped = generator.random(count) < 0.5
    return np.where(swapped, pairs[::-1], pairs)


def pair_keys(ends: np.ndarray, num_nodes: int) -> np.ndarray:
    """One number for each unordered pair."""
    return np.asarray(ends.min(axis=0) * num_nodes + ends.max(axis=0))


def _distinct(ends: np.ndarray, num_nodes: int, *, directed: bool) -> np.ndarray:
    """Each edge once; undirected, each pair once."""
    keys = ends[0] * num_nodes + ends[1] if directed else pair_keys(ends, num_nodes)
    return ends[:, np.sort(np.unique(keys, return_index=True)[1])]


def _guessed(joined: np.ndarray, num_nodes: int, count: int, generator: np.random.Generator) -> np.ndarray:
    found = np.empty(0, dtype=np.int64)
    while len(found) < count:
        guess = generator.integers(0, num_nodes, size=(2, 2 * count))
        keys = np.unique(pair_keys(guess[:, guess[0] != guess[1]], num_nodes))
        found = np.union1d(found, keys[~np.isin(keys, joined, assume_unique=True)])
    return generator.choice(found, size=count, replace=False)
