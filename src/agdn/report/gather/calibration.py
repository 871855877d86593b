"""Is a model right as often as it says? Reliability in bins, and the expected calibration error.

ECE = sum over bins of n_b / n |share that is right in b - mean confidence in b|
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agdn.report.gather.answers import Answers

BINS = 15


@dataclass(frozen=True)
class Calibration:
    """Test nodes by the confidence of their prediction; for yes/no tasks, answers by the probability of yes.

    Attributes:
        counts, confidence, right: (BINS,) how many, the sum of their confidences, how many were right (or yes).
        errors: The expected calibration error of every seed.
        of_yes: Whether it is the probability of yes that is judged.
    """

    counts: np.ndarray
    confidence: np.ndarray
    right: np.ndarray
    errors: tuple[float, ...]
    of_yes: bool

    def __add__(self, other: Calibration) -> Calibration:
        return Calibration(
            self.counts + other.counts,
            self.confidence + other.confidence,
            self.right + other.right,
            self.errors + other.errors,
            self.of_yes,
        )


def calibration(answers: Answers) -> Calibration | None:
    """None for numbers, which come without a probability."""
    if answers.probabilities is None:
        return None
    test = answers.split.test
    probabilities, y = answers.probabilities[test], answers.y[test]
    if answers.output.target == "class":
        confidence, predicted = probabilities.max(1)
        return binned(confidence.double().numpy(), (predicted == y).double().numpy(), of_yes=False)
    known = ~y.isnan()
    return binned(probabilities[known].double().numpy(), y[known].double().numpy(), of_yes=True)


def binned(confidence: np.ndarray, right: np.ndarray, *, of_yes: bool) -> Calibration:
    """``confidence`` in 0..1 and ``right``, 0 or 1, of the same nodes."""
    place = np.minimum((confidence * BINS).astype(int), BINS - 1)
    counts = np.bincount(place, minlength=BINS)
    sums = [np.bincount(place, weights=values, minlength=BINS) for values in (confidence, right)]
    error = float(np.abs(sums[1] - sums[0]).sum() / max(1, len(confidence)))
    return Calibration(counts, sums[0], sums[1], (error,), of_yes)
