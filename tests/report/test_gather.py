"""Summaries against numbers worked out by hand or by others."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, precision_score, recall_score

from agdn.report.charts.axis import Axis, fitted, round_values
from agdn.report.gather.calibration import BINS, binned
from agdn.report.gather.confusion import Confusion
from agdn.report.gather.curves import combined
from agdn.report.gather.hop_weights import degree_bin
from agdn.report.gather.layout import layout


def test_curves_of_seeds_that_end_at_different_epochs() -> None:
    curve = combined([{1: 1.0, 2: 3.0, 3: 5.0}, {1: 3.0, 2: 3.0}])
    assert curve is not None
    assert curve.x == (1, 2, 3)
    assert curve.mean == (2.0, 3.0, 5.0)
    assert (curve.low, curve.high) == ((1.0, 3.0, 5.0), (3.0, 3.0, 5.0))
    assert curve.seeds == (2, 2, 1)
    assert combined([{}, {}]) is None


def test_long_curves_are_condensed_and_keep_their_extremes() -> None:
    values = {epoch: float(epoch) for epoch in range(1, 2001)} | {777: -50.0}
    curve = combined([values], most=100)
    assert curve is not None
    assert len(curve.x) == 100
    assert curve.each == 20
    assert curve.x[-1] == 2000
    assert min(curve.low) == -50
    assert curve.mean[0] == np.mean(range(1, 21))


def test_calibration_error_by_hand() -> None:
    """Two bins: 0.9 twice and right once, 0.5 twice and right twice."""
    judged = binned(np.array([0.9, 0.9, 0.5, 0.5]), np.array([1.0, 0.0, 1.0, 1.0]), of_yes=False)
    assert judged.errors == (pytest.approx(0.5 * 0.4 + 0.5 * 0.5),)
    assert judged.counts.sum() == 4
    sure = binned(np.array([1.0]), np.array([1.0]), of_yes=False)
    assert sure.counts[BINS - 1] == 1
    assert (judged + sure).errors == (*judged.errors, 0.0)
    assert (judged + sure).counts.sum() == 5


def test_confusion_as_scikit_learn_has_it() -> None:
    rng = np.random.default_rng(0)
    true, said = rng.integers(4, size=200), rng.integers(4, size=200)
    found = Confusion(tuple("abcd"), confusion_matrix(true, said))
    assert found.recall == pytest.approx(recall_score(true, said, average=None))
    assert found.precision == pytest.approx(precision_score(true, said, average=None))
    assert found.accuracy == pytest.approx((true == said).mean())
    assert np.isnan(Confusion(("a", "b"), np.array([[1, 0], [0, 0]])).recall[1])


def test_many_classes_are_shortened_and_none_is_lost() -> None:
    counts = np.random.default_rng(0).integers(1, 9, size=(30, 30))
    counts[7] *= 100
    found = Confusion(tuple(map(str, range(30))), counts)
    short = found.shortened(10)
    assert len(short.names) == 10
    assert short.names[-1] == "21 others"
    assert "7" in short.names
    assert short.counts.sum() == counts.sum()
    assert short.counts[short.names.index("7"), short.names.index("7")] == counts[7, 7]
    assert found.shortened(30) is found


def test_degree_bins_follow_each_other() -> None:
    assert [degree_bin(index) for index in range(5)] == ["0", "1", "2–3", "4–7", "8–15"]


def ring(size: int, first: int = 0) -> np.ndarray:
    return np.array([(first + place, first + (place + 1) % size) for place in range(size)])


def test_a_ring_is_drawn_round() -> None:
    places = layout(24, ring(24))
    far = np.linalg.norm(places - places.mean(0), axis=1)
    assert far.std() < 0.02 * far.mean()
    assert places.min() == pytest.approx(0)
    assert places.max() == pytest.approx(1)


def test_a_path_is_drawn_in_order() -> None:
    places = layout(10, np.array([(place, place + 1) for place in range(9)]))
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert steps.max() < 1.3 * steps.min()
    assert np.linalg.norm(places[0] - places[-1]) > 8 * steps.min()


def test_components_lie_side_by_side() -> None:
    edges = np.concatenate([ring(6), ring(5, first=6)])
    places = layout(13, edges)
    boxes = [(places[part].min(0), places[part].max(0)) for part in (range(6), range(6, 11), [11], [12])]
    for index, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[index + 1 :]:
            assert (high < other_low).any() or (other_high < low).any()


def test_places_are_the_same_again_and_no_two_are_one() -> None:
    star = np.array([(0, leaf) for leaf in range(1, 12)])
    places = layout(12, star)
    assert np.array_equal(places, layout(12, star))
    apart = np.linalg.norm(places[:, None] - places[None, :], axis=2) + np.eye(12)
    assert apart.min() > 0.02
    assert layout(0, np.zeros((0, 2), dtype=int)).shape == (0, 2)


@pytest.mark.parametrize(
    ("low", "high", "values"),
    [(0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1.0]), (93.1, 96.2, [94, 95, 96]), (-0.3, 0.3, [-0.2, 0, 0.2])],
)
def test_ticks_are_round(low: float, high: float, values: list[float]) -> None:
    assert round_values(low, high, 5 if low == 0 else 3) == pytest.approx(values)


def test_ticks_are_told_with_the_digits_that_tell_them_apart() -> None:
    assert [text for _, text in Axis(76.17, 76.34, 0, 1).ticks(3)] == ["76.2", "76.25", "76.3"]
    assert [text for _, text in Axis(0, 40_000, 0, 1).ticks(4)] == ["0", "10,000", "20,000", "30,000", "40,000"]
    assert [text for _, text in Axis(123_400, 123_460, 0, 1).ticks(3)] == ["123,400", "123,420", "123,440", "123,460"]


def test_axes_leave_room_and_bend_where_the_range_is_wide() -> None:
    assert not fitted(1, 10, 0, 100, logarithmic=True).logarithmic
    wide = fitted(0.01, 100, 0, 100, logarithmic=True)
    assert wide.logarithmic
    assert wide.place(1.0) == pytest.approx(50)
    assert [text for _, text in wide.ticks()] == ["0.01", "0.1", "1", "10", "100"]
    same = fitted(3, 3, 0, 100)
    assert same.place(3) == pytest.approx(50)
    assert Axis(0, 10, 100, 0).place(2.5) == 75
