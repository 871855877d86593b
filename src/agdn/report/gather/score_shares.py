"""How the scores of edges and of negatives spread: shares in bins that both have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

FEWEST, MOST = 8, 40  # bins; between, three times the cube root of how many scores there are of the rarer kind
OUTER = 0.002  # of either kind on either side lie outside the bins where they would ...
STRETCH = 2  # ... make them so many times as wide
SKEWED = 30  # how far scores reach, in medians of those above 0, from which bins grow with the score


@dataclass(frozen=True)
class ScoreShares:
    """Of one seed.

    Attributes:
        middles: (B,) of the bins.
        edges, negatives: (B,) the share of all edges, and of all negatives, in each.
        medians: Of the scores of edges and of negatives.
        threshold: What an edge must beat; None where the official score has no such thing.
        beyond: How many scores lie outside the bins and are counted in the first or the last.
        logarithmic: Whether bins grow with the score, as those of heuristics need it; 0 then lies in none of them.
        zeros: The shares of edges and of negatives that have the score 0 and so lie in no bin.
    """

    middles: np.ndarray
    edges: np.ndarray
    negatives: np.ndarray
    medians: tuple[float, float]
    threshold: float | None
    beyond: int
    logarithmic: bool
    zeros: tuple[float, float]
    seed: int


def score_shares(positive: np.ndarray, negative: np.ndarray, threshold: float | None, seed: int) -> ScoreShares:
    both = (positive, negative)
    logarithmic = _are_skewed(both)
    told = [scores[scores > 0] if logarithmic else scores for scores in both]
    whole = all(bool((scores == np.rint(scores)).all()) for scores in both)
    low, high = _range([scores for scores in told if len(scores)])
    if threshold is not None and (threshold > 0 or not logarithmic):
        low, high = min(low, threshold), max(high, threshold)
    count = int(np.clip(round(3 * min(map(len, both)) ** (1 / 3)), FEWEST, MOST))
    bounds = _growing(low, high, count, whole) if logarithmic else _even(low, high, count, whole)
    counts = [np.histogram(np.clip(scores, bounds[0], bounds[-1]), bounds)[0] for scores in told]
    middles = (bounds[1:] + bounds[:-1]) / 2
    return ScoreShares(
        np.sqrt(bounds[1:] * bounds[:-1]) if logarithmic and not whole else middles,
        counts[0] / len(positive),
        counts[1] / len(negative),
        (float(np.median(positive)), float(np.median(negative))),
        threshold,
        sum(int(((scores < bounds[0]) | (scores > bounds[-1])).sum()) for scores in told),
        logarithmic,
        (1 - len(told[0]) / len(positive), 1 - len(told[1]) / len(negative)),
        seed,
    )


def _are_skewed(both: Sequence[np.ndarray]) -> bool:
    if min(float(scores.min()) for scores in both) < 0:
        return False
    above = np.concatenate([scores[scores > 0] for scores in both])
    return len(above) > 0 and _range([above])[1] > SKEWED * float(np.median(above))


def _range(both: Sequence[np.ndarray]) -> tuple[float, float]:
    """From the lowest score to the highest, without the outermost where they lie far off."""
    low, high = min(float(scores.min()) for scores in both), max(float(scores.max()) for scores in both)
    inner_low = min(float(np.quantile(scores, OUTER, method="lower")) for scores in both)
    inner_high = max(float(np.quantile(scores, 1 - OUTER, method="higher")) for scores in both)
    return (inner_low, inner_high) if high - low > STRETCH * (inner_high - inner_low) else (low, high)


def _even(low: float, high: float, count: int, whole: bool) -> np.ndarray:
    """(B + 1,) bounds. Whole numbers, such as those of common neighbours, lie in the middle of bins."""
    if whole:
        width = -(-int(high - low + 1) // MOST)
        bounds: np.ndarray = low - 0.5 + width * np.arange(-(-int(high - low + 1) // width) + 1)
        return bounds
    room = (high - low) * 1e-6 or max(abs(low), 1.0) * 1e-3
    return np.linspace(low - room, high + room, count + 1)


def _growing(low: float, high: float, count: int, whole: bool) -> np.ndarray:
    """The same where each bin is so many times as wide as the one before."""
    if whole:
        bounds: np.ndarray = np.unique(np.rint(np.geomspace(low, high + 1, count + 1))) - 0.5
        return bounds
    return np.geomspace(low * (1 - 1e-6), high * (1 + 1e-6), count + 1)
