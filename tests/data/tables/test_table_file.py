"""Tables in memory behave as tables in files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agdn.data.errors import DataError
from agdn.data.tables.table_file import ColumnTable, WatchedTable, open_table


def test_columns_in_memory_become_cells() -> None:
    (batch,) = open_table({"id": np.array([1, 2]), "x": [0.5, float("nan")], "w": [None, "nan"]}).batches()
    assert batch.columns == {"id": ["1", "2"], "x": ["0.5", ""], "w": ["", "nan"]}


def test_a_data_frame_is_columns_by_name() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame({"id": [1, 2], "w": pandas.array(["a", None], dtype="string")})
    (batch,) = open_table(frame).batches()
    assert batch.columns == {"id": ["1", "2"], "w": ["a", ""]}


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(DataError, match="not int"):
        open_table(7)


def test_uneven_columns_are_refused() -> None:
    with pytest.raises(DataError, match="different lengths"):
        open_table({"a": [1], "b": [1, 2]})


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.csv does not exist"):
        open_table(tmp_path / "nowhere.csv")


def test_a_watched_table_reports_until_the_end() -> None:
    seen: list[tuple[str, float]] = []
    watched = WatchedTable(ColumnTable({"a": list(range(50_000))}), lambda *report: seen.append(report), "nodes")
    rows = sum(batch.size for batch in watched.batches())
    assert rows == 50_000
    assert [stage for stage, _ in seen] == ["nodes"] * 3
    assert seen[-1][1] == 1.0
