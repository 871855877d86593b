"""Which classes are taken for which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agdn.report.gather.answers import Answers

MOST_CLASSES = 50


@dataclass(frozen=True)
class Confusion:
    """``counts[i, j]``: test nodes of class i that were taken for class j, over all seeds."""

    names: tuple[str, ...]
    counts: np.ndarray

    def __add__(self, other: Confusion) -> Confusion:
        return Confusion(self.names, self.counts + other.counts)

    @property
    def recall(self) -> np.ndarray:
        """(C,) share of a class that was found; NaN for a class that does not occur."""
        return _shares(self.counts.diagonal(), self.counts.sum(1))

    @property
    def precision(self) -> np.ndarray:
        """(C,) share of what was taken for a class that is of it; NaN for a class that was never predicted."""
        return _shares(self.counts.diagonal(), self.counts.sum(0))

    @property
    def accuracy(self) -> float:
        return float(self.counts.trace() / max(1, self.counts.sum()))

    def shortened(self, most: int = MOST_CLASSES) -> Confusion:
        """The most frequent classes, in their own order, and all others as one."""
        if len(self.names) <= most:
            return self
        frequent = np.sort(np.argsort(-self.counts.sum(1), kind="stable")[: most - 1])
        place = np.full(len(self.names), most - 1)
        place[frequent] = np.arange(most - 1)
        counts = np.zeros((most, most), dtype=self.counts.dtype)
        np.add.at(counts, (place[:, None], place[None, :]), self.counts)
        others = f"{len(self.names) - most + 1} others"
        return Confusion((*(self.names[index] for index in frequent), others), counts)


def confusion(answers: Answers) -> Confusion:
    test, size = answers.split.test, len(answers.names)
    pairs = answers.y[test] * size + answers.values[test]
    counts = np.bincount(pairs.numpy(), minlength=size * size).reshape(size, size)
    return Confusion(answers.names, counts)


def _shares(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    shares = np.full(len(part), np.nan)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares
