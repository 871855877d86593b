"""Cells become typed columns or an error with file, row and column."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agdn.data.errors import DataError
from agdn.data.tables.cells import Documents, Numbers, Words, collect, parse_number
from agdn.data.tables.table_file import ColumnTable

TABLE = ColumnTable({"age": ["1", "NA", "x"]}, "nodes.csv")


def test_numbers_keep_missing_as_nan() -> None:
    numbers = Numbers(TABLE, "age")
    numbers.add(["1", " 2.5 ", "NA", "", "-1e3"], 2)
    np.testing.assert_array_equal(numbers.result(), [1, 2.5, np.nan, np.nan, -1000])


@pytest.mark.parametrize("cell", ["x", "1_000", "inf", "-inf", "1e39", "1,5", "0x10"])
def test_what_is_no_number_is_named(cell: str) -> None:
    numbers = Numbers(TABLE, "age")
    with pytest.raises(DataError, match=r"nodes\.csv, row 8, column 'age'"):
        numbers.add(["1", cell], 7)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_every_float32_is_a_number(value: float) -> None:
    assert parse_number(repr(value)) == value


def test_words_are_numbered_as_they_come() -> None:
    words = Words()
    words.add(["b", "a ", "NULL"], 2)
    words.add(["b", "c"], 5)
    result = words.result()
    assert result.names == ("b", "a", "c")
    assert result.codes.tolist() == [0, 1, -1, 0, 2]


def test_documents_keep_their_text() -> None:
    documents = Documents()
    documents.add([" two  words ", "nan"], 2)
    assert documents.result() == [" two  words ", ""]


def test_own_words_for_missing() -> None:
    table = ColumnTable({"age": ["1", "?"], "city": ["NA", "?"]})
    read = collect(table, {"age": Numbers(table, "age", ["?"]), "city": Words(["?"])})
    np.testing.assert_array_equal(read["age"], [1, np.nan])
    assert read["city"].names == ("NA",)
