"""Labelled nodes set apart to choose the best epoch by."""

from __future__ import annotations

import numpy as np


def hold_out(labelled: np.ndarray, classes: np.ndarray | None, fraction: float, seed: int) -> tuple[np.ndarray, ...]:
    """Ids to train on and ids held out; where nothing can be spared, all of them for both.

    Args:
        labelled: (M,) ids of the labelled nodes.
        classes: (M,) their classes, each of which keeps a training node; None for numbers.
        fraction: Share that is held out, at least one node; 0 holds out none.
    """
    if fraction == 0:
        return labelled, labelled
    rng = np.random.default_rng(seed)
    kinds = np.zeros(len(labelled)) if classes is None else classes
    groups = [np.flatnonzero(kinds == kind) for kind in np.unique(kinds)]
    counts = [min(round(fraction * len(group)), len(group) - 1) for group in groups]
    if sum(counts) == 0:
        largest = max(range(len(groups)), key=lambda index: len(groups[index]))
        if len(groups[largest]) < 2:
            return labelled, labelled
        counts[largest] = 1
    held = np.zeros(len(labelled), dtype=bool)
    for group, count in zip(groups, counts, strict=True):
        held[rng.permutation(group)[:count]] = True
    return labelled[~held], labelled[held]
