"""Splits are disjoint, complete and in the proportions asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agdn.data.errors import DataError
from agdn.data.tables import split
from agdn.data.tables.cells import Categories
from agdn.data.tables.table_file import ColumnTable

TABLE = ColumnTable({"part": []}, "nodes.csv")


def words(*cells: str) -> Categories:
    names = tuple(dict.fromkeys(cell for cell in cells if cell))
    return Categories(np.array([names.index(cell) if cell else -1 for cell in cells], dtype=np.int32), names)


def test_words_and_their_other_names() -> None:
    parts = split.by_word(words("train", "VAL", "", "test", "dev"), table=TABLE, column="part", first_row=2)
    assert [part.tolist() for part in parts] == [[0], [1, 4], [3]]


def test_an_unknown_word_is_named_with_its_row() -> None:
    with pytest.raises(DataError, match=r"nodes\.csv, row 4, column 'part': 'holdout' is none of train"):
        split.by_word(words("train", "test", "holdout"), table=TABLE, column="part", first_row=2)


@given(count=st.integers(3, 200), train=st.floats(0.1, 0.8), seed=st.integers(0, 9))
def test_chance_gives_every_row_to_one_part(count: int, train: float, seed: int) -> None:
    rows = np.arange(5, 5 + count)
    parts = split.by_chance(rows, (train, 0.1, 0.9 - train), seed)
    assert sorted(np.concatenate(parts).tolist()) == rows.tolist()
    assert abs(len(parts[0]) - train * count) <= 1
    np.testing.assert_array_equal(parts[0], split.by_chance(rows, (train, 0.1, 0.9 - train), seed)[0])


def test_classes_keep_their_share_in_every_part() -> None:
    classes = np.repeat([0, 1], [900, 100])
    parts = split.by_class(np.arange(1000), classes, (0.6, 0.2, 0.2), seed=3)
    assert [np.bincount(classes[part]).tolist() for part in parts] == [[540, 60], [180, 20], [180, 20]]


def test_the_only_row_of_a_class_trains() -> None:
    classes = np.array([0] * 50 + [1])
    assert 50 in split.by_class(np.arange(51), classes, (0.4, 0.3, 0.3), seed=0)[0]


def test_time_keeps_the_past_from_the_future_and_moments_together() -> None:
    times = np.array([2003.0, 2001, 2001, 2002, 2001, np.nan, 2004])
    train, valid, test = split.by_time(np.arange(7), times, (0.4, 0.3, 0.3))
    assert max(times[train], default=0) < min(times[valid]) <= max(times[valid]) < min(times[test])
    assert 5 not in np.concatenate([train, valid, test])


def test_an_empty_part_is_named() -> None:
    rows = np.arange(2)
    with pytest.raises(DataError, match="the valid part of the split is empty"):
        split.require_parts((rows, rows[:0], rows), "of the rows")
