"""Paired tests against their formulas and exact counts."""

from __future__ import annotations

import math
from itertools import product

import pytest

from agdn.studies.paired import holm, paired


def test_the_t_test_is_that_of_the_differences() -> None:
    from scipy.special import stdtr

    first, second = dict(enumerate([81.0, 82.5, 80.0, 83.0])), dict(enumerate([80.0, 81.0, 80.5, 81.0]))
    found = paired(first, second)
    assert found is not None
    assert found.differences == (1.0, 1.5, -0.5, 2.0)
    mean = 1.0
    deviation = math.sqrt(sum((d - mean) ** 2 for d in found.differences) / 3)
    assert (found.mean, found.error) == (mean, pytest.approx(deviation / 2))
    assert found.t_test == pytest.approx(2 * float(stdtr(3, -mean / (deviation / 2))))


def test_wilcoxon_counts_the_signs_of_ranks() -> None:
    differences = [1.0, 2.0, 3.0, 4.0, -5.0, 6.0]
    found = paired(dict(enumerate(differences)), dict.fromkeys(range(6), 0.0))
    assert found is not None
    ranks = range(1, 7)
    lower = 5  # the sum of the negative ranks
    sums = [sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign) for signs in product((0, 1), repeat=6)]
    assert found.wilcoxon == pytest.approx(2 * sum(each <= lower for each in sums) / len(sums))


def test_equal_differences_share_a_rank() -> None:
    """79.3 - 79.2 and 80.1 - 80.2 are not told apart by the last digits of their rounding."""
    first, second = [79.3, 80.1, 81.4, 78.0, 80.5, 79.9], [79.2, 80.2, 81.1, 77.5, 80.1, 79.2]
    found = paired(dict(enumerate(first)), dict(enumerate(second)))
    whole = paired(dict(enumerate([1.0, -1, 3, 5, 4, 7])), dict.fromkeys(range(6), 0.0))
    assert found is not None
    assert whole is not None
    assert found.differences == (0.1, -0.1, 0.3, 0.5, 0.4, 0.7)
    assert found.wilcoxon == whole.wilcoxon


def test_seeds_that_both_have() -> None:
    found = paired({0: 1.0, 1: 2.0, 5: 4.0}, {1: 1.0, 5: 1.0, 7: 0.0})
    assert found is not None
    assert (found.seeds, found.differences) == ((1, 5), (1.0, 3.0))
    assert paired({0: 1.0}, {1: 1.0}) is None
    alone = paired({0: 1.0}, {0: 3.0})
    assert alone is not None
    assert (alone.mean, alone.error, alone.t_test) == (-2.0, None, None)


def test_equal_scores_do_not_differ() -> None:
    same = paired({0: 1.0, 1: 2.0}, {0: 1.0, 1: 2.0})
    assert same is not None
    assert (same.t_test, same.wilcoxon) == (1.0, 1.0)


def test_two_equal_differences_prove_nothing() -> None:
    shifted = paired({0: 80.1, 1: 79.3}, {0: 79.6, 1: 78.8})
    assert shifted is not None
    assert (round(shifted.mean, 6), shifted.error, shifted.t_test, shifted.wilcoxon) == (0.5, 0.0, None, None)


def test_holm_multiplies_in_rising_order() -> None:
    assert holm([0.01, None, 0.04, 0.03]) == [pytest.approx(0.03), None, pytest.approx(0.06), pytest.approx(0.06)]
    assert holm([0.6, 0.7]) == [1.0, 1.0]
