"""Parquet ends in the same cells as a CSV of the same table."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

import pytest

from agdn.data.errors import DataError
from agdn.data.tables.table_file import open_table

pyarrow = pytest.importorskip("pyarrow", reason="the parquet extra is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="the parquet extra is not installed")


def written(path: Path, **columns: object) -> Path:
    parquet.write_table(pyarrow.table(columns), path)
    return path


def test_types_become_text(tmp_path: Path) -> None:
    path = written(
        tmp_path / "t.parquet",
        whole=[1, None],
        real=[0.1, None],
        flag=[True, False],
        word=["a", None],
        day=[datetime.date(2024, 1, 31), None],
        nothing=pyarrow.nulls(2),
        coded=pyarrow.array(["x", "y"]).dictionary_encode(),
    )
    (batch,) = open_table(path).batches()
    assert {name: list(cells) for name, cells in batch.columns.items()} == {
        "whole": ["1", ""],
        "real": ["0.1", ""],
        "flag": ["true", "false"],
        "word": ["a", ""],
        "day": ["2024-01-31", ""],
        "nothing": ["", ""],
        "coded": ["x", "y"],
    }
    assert batch.row == 1
    assert batch.done == 1.0


def test_a_type_without_text_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "t.parquet", pairs=[[1, 2], [3]])
    with pytest.raises(DataError, match=r"t\.parquet: column 'pairs' holds list"):
        list(open_table(path).batches())


def test_a_cut_file_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "t.parquet", a=list(range(1000)))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match="not a whole Parquet file"):
        open_table(path)


def test_a_damaged_page_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "t.parquet", a=[f"value {number}" for number in range(1000)])
    content = bytearray(path.read_bytes())
    content[4:200] = bytes(196)
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be read to its end"):
        list(open_table(path).batches())


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "t.parquet", a=[1])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"agdn\[parquet\]"):
        open_table(path)
