"""Times are numbers or dates, and become seconds."""

from __future__ import annotations

import numpy as np
import pytest

from agdn.data.errors import DataError
from agdn.data.tables.table_file import ColumnTable
from agdn.data.tables.times import Times, is_date, parse_times

TABLE = ColumnTable({"part": []}, "nodes.csv")


@pytest.mark.parametrize(("cell", "seconds"), [("2020", 2020.0), ("1970-01-02", 86400.0), ("1970-01-01T00:01", 60.0)])
def test_times_are_numbers_or_dates(cell: str, seconds: float) -> None:
    assert parse_times([cell, "NA"], table=TABLE, column="t", row=2, missing=("NA",))[0] == seconds


def test_what_is_no_time_is_named() -> None:
    with pytest.raises(DataError, match=r"nodes\.csv, row 3, column 't': 'soon' is no time"):
        parse_times(["2020", "soon"], table=TABLE, column="t", row=2, missing=())


def test_a_column_of_times() -> None:
    times = Times(TABLE, "t")
    times.add(["1970-01-02", " "], row=2)
    times.add(["NA"], row=4)
    np.testing.assert_array_equal(times.result(), [86400, np.nan, np.nan])


@pytest.mark.parametrize(
    ("cell", "is_one"),
    [("2024-01-31", True), ("2024-01-31 12:30", True), ("20240131", False), ("2024-02-30", False), ("2024", False)],
)
def test_a_date_is_written_with_dashes(cell: str, is_one: bool) -> None:
    assert is_date(cell) == is_one
