"""Each encoder against the number that it must give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agdn.data.tables.cells import Categories
from agdn.data.tables.encoders import Hashed, OneHot, Ranked, Scale

WORDS = Categories(np.array([0, 1, -1, 2], dtype=np.int32), ("b", "a", "c"))


def test_scale_learns_from_its_rows_only() -> None:
    values = np.array([1.0, 3.0, 1000.0])
    scale = Scale.fit(values, np.array([0, 1]))
    np.testing.assert_allclose(scale.apply(values)[:, 0], [-1, 1, 998])
    assert scale.width == 1


def test_a_missing_number_is_the_mean_with_a_flag() -> None:
    values = np.array([1.0, np.nan, 3.0])
    scale = Scale.fit(values, None)
    np.testing.assert_allclose(scale.apply(values), [[-1, 0], [0, 1], [1, 0]])


def test_a_constant_column_is_zero() -> None:
    assert Scale.fit(np.full(3, 7.0), None).apply(np.full(2, 7.0)).tolist() == [[0.0], [0.0]]


@given(st.lists(st.floats(width=32, allow_infinity=False), min_size=1, max_size=20))
def test_scaled_numbers_are_finite(numbers: list[float]) -> None:
    values = np.array(numbers, dtype=np.float64)
    assert np.isfinite(Scale.fit(values, None).apply(values)).all()


def test_one_hot_of_known_unknown_and_missing() -> None:
    encoder = OneHot.fit(WORDS, np.array([0, 1]))
    assert encoder.categories == ("a", "b")
    assert encoder.apply(WORDS).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0]]


def test_hashing_depends_on_the_word_alone() -> None:
    encoder = Hashed.fit(WORDS, 16)
    features = encoder.apply(WORDS)
    again = encoder.apply(Categories(np.array([1, 0], dtype=np.int32), ("a", "b")))
    np.testing.assert_array_equal(features[:2], again)
    assert np.abs(features).sum(axis=1).tolist() == [1, 1, 1, 1]
    assert features[2, -1] == 1


def test_ranked_guesses_weigh_by_rank() -> None:
    cells = ["10,2", "2; 10; 7", "", "2,2"]
    encoder = Ranked.fit(cells, None)
    assert encoder.guesses == ("2", "7", "10")
    np.testing.assert_allclose(encoder.apply(cells), [[0.5, 0, 1], [1, 1 / 3, 0.5], [0, 0, 0], [1, 0, 0]])


@pytest.mark.parametrize("cell", ["99", "unheard of"])
def test_a_guess_that_was_not_fitted_is_left_out(cell: str) -> None:
    assert Ranked(("1",)).apply([cell]).tolist() == [[0.0]]
