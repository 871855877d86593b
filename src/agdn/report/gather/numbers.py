"""Predicted numbers beside the true ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agdn.report.gather.answers import Answers
from agdn.tasks.metrics import mae, r2

MOST_POINTS = 1500


@dataclass(frozen=True)
class Numbers:
    """Test nodes of one seed: all, or as many as a chart can show, drawn by chance.

    Attributes:
        nodes: How many there are.
        mae, r2: Over all of them.
    """

    true: np.ndarray
    predicted: np.ndarray
    nodes: int
    mae: float
    r2: float
    seed: int


def numbers(answers: Answers) -> Numbers:
    test = answers.split.test
    true, predicted = answers.y[test], answers.values[test]
    shown = np.arange(len(test))
    if len(test) > MOST_POINTS:
        shown = np.sort(np.random.default_rng(0).choice(len(test), MOST_POINTS, replace=False))
    return Numbers(
        true.numpy()[shown],
        predicted.numpy()[shown],
        len(test),
        mae(predicted, true),
        r2(predicted, true),
        answers.run.seed,
    )
