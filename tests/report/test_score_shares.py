from __future__ import annotations

import numpy as np
import pytest

from agdn.report.gather.score_shares import FEWEST, MOST, score_shares


def test_shares_are_of_each_kind_and_none_is_lost() -> None:
    rng = np.random.default_rng(0)
    positive, negative = rng.normal(3, 1, 500), rng.normal(0, 1, 20_000)
    found = score_shares(positive, negative, None, 7)
    assert found.edges.sum() == pytest.approx(1)
    assert found.negatives.sum() == pytest.approx(1)
    assert found.medians == (np.median(positive), np.median(negative))
    assert FEWEST < len(found.middles) == round(3 * 500 ** (1 / 3)) < MOST
    assert (found.threshold, found.seed) == (None, 7)
    mean = (found.middles * found.edges).sum()
    assert mean == pytest.approx(positive.mean(), abs=np.diff(found.middles)[0] / 2)


def test_a_far_score_does_not_squeeze_the_others() -> None:
    scores = np.concatenate([np.linspace(0, 1, 1000), [1e6]])
    found = score_shares(scores, np.linspace(0, 1, 1000), None, 0)
    assert found.middles[-1] < 1
    assert not found.logarithmic
    assert found.beyond == 5  # and the outermost of the others
    assert found.edges.sum() == pytest.approx(1)
    assert score_shares(scores[:-1], scores[:-1], None, 0).beyond == 0


def test_the_threshold_lies_inside() -> None:
    found = score_shares(np.linspace(0, 1, 100), np.linspace(0, 1, 100), 5.0, 0)
    assert found.middles[-1] < 5 < found.middles[-1] + np.diff(found.middles)[0]


def test_whole_numbers_lie_in_the_middle_of_bins() -> None:
    found = score_shares(np.array([0.0, 2, 2, 3]), np.array([0.0, 0, 0, 1]), 0.0, 0)
    assert found.middles.tolist() == [0, 1, 2, 3]
    assert found.edges.tolist() == [0.25, 0, 0.5, 0.25]
    assert found.negatives.tolist() == [0.75, 0.25, 0, 0]
    many = score_shares(np.arange(1000.0), np.arange(1000.0), None, 0)
    assert len(many.middles) == MOST
    assert set(np.rint(many.edges * 1000)) == {25}
    assert many.beyond == 0


def test_skewed_scores_are_told_in_growing_bins() -> None:
    """Between 0.001 and 10, ten a power of ten; and zeros."""
    powers = np.geomspace(0.001, 10, 400)
    found = score_shares(np.concatenate([powers, np.zeros(100)]), np.concatenate([powers, np.zeros(1200)]), 0.0, 0)
    assert found.logarithmic
    assert found.zeros == pytest.approx((0.2, 0.75))
    assert found.edges.sum() == pytest.approx(0.8)
    assert found.negatives.sum() == pytest.approx(0.25)
    assert found.edges.max() / found.edges.min() < 1.1
    assert np.ptp(np.diff(np.log(found.middles))) < 1e-9
    assert not score_shares(np.array([-1.0, 0.01, 0.02, 9.0]), np.array([0.01]), None, 0).logarithmic


def test_skewed_whole_numbers_lie_in_bins() -> None:
    counts = np.array([1.0] * 60 + [2.0] * 30 + [3.0] * 9 + [100.0])
    found = score_shares(counts, np.zeros(100), None, 0)
    assert found.middles[:3].tolist() == [1, 2, 3]
    assert found.edges[:3].tolist() == [0.6, 0.3, 0.09]
    assert found.edges.sum() == pytest.approx(1)
    assert found.zeros == (0, 1)


def test_one_score_alone_has_room() -> None:
    found = score_shares(np.full(5, 0.5), np.full(5, 0.5), 0.5, 0)
    assert found.edges.max() == found.negatives.max() == 1
