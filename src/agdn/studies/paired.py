"""Whether two settings differ, judged on the same seeds: differences seed by seed, d_s = a_s - b_s.

t-test:    t = mean(d) / (std(d) / sqrt(n)), Student's distribution with n - 1 degrees of freedom
Wilcoxon:  the sum of the ranks of |d| that are positive, zeros left out; no distribution is assumed
Holm:      of m comparisons, p values in rising order p_(1) <= ... <= p_(m) become max over j <= i of
           min(1, (m - j + 1) p_(j)), so that all of them together err with the probability given
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

DIGITS = 12  # that count


@dataclass(frozen=True)
class Paired:
    """``mean`` of the differences over the ``seeds``, its standard ``error``, and two-sided p values.

    None where too few seeds tell: the error and the tests need two, and differences that are not all the same.
    """

    seeds: tuple[int, ...]
    differences: tuple[float, ...]
    mean: float
    error: float | None
    t_test: float | None
    wilcoxon: float | None


def paired(first: Mapping[int, float], second: Mapping[int, float]) -> Paired | None:
    """Values by seed of two settings -> first minus second on the seeds that both have; None without any."""
    from scipy import stats

    seeds = tuple(sorted(first.keys() & second.keys()))
    if not seeds:
        return None
    differences = tuple(_difference(first[seed], second[seed]) for seed in seeds)
    mean = statistics.fmean(differences)
    if len(seeds) < 2:
        return Paired(seeds, differences, mean, None, None, None)
    deviation = statistics.stdev(differences)
    if deviation <= 1e-9 * max(1.0, abs(mean)):  # equal but for rounding, which no test is to be of
        p_value = 1.0 if mean == 0 else None
        return Paired(seeds, differences, mean, 0.0, p_value, p_value)
    t_test = float(stats.ttest_rel([first[s] for s in seeds], [second[s] for s in seeds]).pvalue)
    return Paired(seeds, differences, mean, deviation / math.sqrt(len(seeds)), t_test, _wilcoxon(differences))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The p values of several comparisons, adjusted; those that are None stay so."""
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        adjusted[place] = highest
    return adjusted


def _difference(first: float, second: float) -> float:
    """Without the last digits: rounding would tell equal differences apart, which have equal ranks."""
    largest = max(abs(first), abs(second))
    return round(first - second, DIGITS - math.ceil(math.log10(largest))) if largest else 0.0


def _wilcoxon(differences: Sequence[float]) -> float:
    from scipy import stats

    return float(stats.wilcoxon(differences, zero_method="wilcox").pvalue)
