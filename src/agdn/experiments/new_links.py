"""The most likely links that a graph does not have yet, node by node, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from agdn.data.dataset import Dataset
from agdn.data.unlinked import known_links, unlinked_pairs
from agdn.ops.candidates import near_nodes
from agdn.tasks.pair_scores import Watch

Candidates = Literal["auto", "all", "near"]
ALL_UP_TO = 50_000_000  # pairs that are scored one by one where nobody says otherwise
NEAR = 200  # candidates a node among those two steps away
PAIRS = 1 << 20  # scored at once

Found = tuple[np.ndarray, np.ndarray, np.ndarray, str]


def new_links(
    score: Callable[[Tensor], Tensor],
    dataset: Dataset,
    top_k: int,
    *,
    candidates: Candidates = "auto",
    sources: Tensor | None = None,
    watch: Watch | None = None,
) -> Found:
    """Sources in their order, targets by falling score, the scores, and a sentence on which pairs were looked at.

    A link that any part of the split knows is not new. ``all`` looks at every other pair; ``near`` at the ``NEAR``
    nodes two steps away that share the most of their surroundings with a node. ``sources`` are the nodes that are
    asked about, in their order; None for all.
    """
    if top_k < 1:
        raise ValueError(f"top_k must be at least 1, got {top_k}")
    nodes = dataset.graph.num_nodes
    if candidates == "auto":
        candidates = "all" if nodes * nodes <= ALL_UP_TO else "near"
    known, asked = known_links(dataset), torch.arange(nodes) if sources is None else sources
    step = max(1, PAIRS // (nodes if candidates == "all" else NEAR))
    found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for done, block in enumerate(asked.split(step), 1):
        pairs = unlinked_pairs(block, known) if candidates == "all" else near_nodes(known, block, NEAR)
        found.append(_best(pairs, score(pairs), top_k))
        if watch is not None:
            watch("nodes", min(done * step, len(asked)), len(asked))
    looked = (
        "every pair that is not linked"
        if candidates == "all"
        else f"for each node the {NEAR} nodes two steps away that share the most neighbours with it"
    )
    source, target, scores = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return source, target, scores, looked


def _best(pairs: Tensor, scores: Tensor, top_k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ``top_k`` best of every source; of equal ones the lower id."""
    source, target, values = pairs[0].numpy(), pairs[1].numpy(), scores.numpy()
    order = np.lexsort((target, -values, source))
    source, target, values = source[order], target[order], values[order]
    rank = np.arange(len(source)) - np.searchsorted(source, source)
    kept = rank < top_k
    return source[kept], target[kept], values[kept]
