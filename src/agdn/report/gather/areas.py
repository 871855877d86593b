"""How well each yes/no task is answered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agdn.report.gather.answers import Answers
from agdn.tasks.metrics import has_both_classes, rocauc


@dataclass(frozen=True)
class Areas:
    """``values``: (seeds, T) area under the ROC curve on test nodes; NaN for a task of one answer only."""

    names: tuple[str, ...]
    values: np.ndarray

    def __add__(self, other: Areas) -> Areas:
        return Areas(self.names, np.concatenate([self.values, other.values]))


def areas(answers: Answers) -> Areas:
    assert answers.probabilities is not None, "yes/no tasks have probabilities"
    test = answers.split.test
    scores, y = answers.probabilities[test], answers.y[test]
    found = [
        rocauc(scores[:, task], y[:, task]) if has_both_classes(y[:, task]) else float("nan")
        for task in range(y.size(1))
    ]
    return Areas(answers.names, np.array([found]))
