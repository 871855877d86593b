"""Tables of numbers: both parsers agree, and a bad row is named."""

import gzip
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agdn.data import csv_gz
from agdn.data.csv_gz import read_csv, read_text_rows
from agdn.data.errors import DataError


@pytest.fixture(params=["pyarrow", "numpy"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "pyarrow":
        pytest.importorskip("pyarrow")
    else:
        monkeypatch.setattr(csv_gz, "find_spec", lambda name: None)
    return str(request.param)


def packed(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "edge.csv.gz"
    path.write_bytes(gzip.compress(text.encode() if isinstance(text, str) else text))
    return path


def test_whole_numbers(tmp_path: Path, parser: str) -> None:
    rows = read_csv(packed(tmp_path, "0,5\n3,-1\n9223372036854775807,2\n"), kind="int64")
    assert rows.dtype == np.int64
    assert rows.tolist() == [[0, 5], [3, -1], [2**63 - 1, 2]]


def test_fractions_and_unknowns(tmp_path: Path, parser: str) -> None:
    rows = read_csv(packed(tmp_path, "0.5,nan\n-1e3,2\n"), kind="float32")
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows, np.array([[0.5, np.nan], [-1000, 2]], np.float32))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0,1\n2,x\n", r"row 2 holds 'x'"),
        ("0,1\n2,1.5\n", r"row 2 holds '1.5'"),
        ("0,1\n2\n", r"row 2 has 1 columns; the rows before it have 2"),
        ("0,1\n2,3,4\n", r"row 2 has 3 columns"),
        (
            "0,1\n5,99999999999999999999\n",
            r"row 2 holds '9{20}'; it must hold whole numbers below 2\^63",
        ),
        ("0,1\n3,\n", r"row 2 holds ''"),
    ],
)
def test_the_bad_row_is_named(tmp_path: Path, parser: str, text: str, complaint: str) -> None:
    path = packed(tmp_path, text)
    with pytest.raises(DataError, match=complaint) as caught:
        read_csv(path, kind="int64")
    assert str(path) in str(caught.value)


def test_an_empty_table_has_no_rows(tmp_path: Path, parser: str) -> None:
    assert read_csv(packed(tmp_path, ""), kind="int64").shape == (0, 0)


def test_cut_off_and_other_files_are_refused(tmp_path: Path, parser: str) -> None:
    path = packed(tmp_path, "1,2\n" * 10_000)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match="cut off or not a gzip file"):
        read_csv(path, kind="int64")
    path.write_text("1,2\n")
    with pytest.raises(DataError, match="cut off or not a gzip file"):
        read_csv(path, kind="int64")
    with pytest.raises(DataError, match=r"none.csv.gz is missing"):
        read_csv(tmp_path / "none.csv.gz", kind="int64")


def test_a_bomb_is_refused(tmp_path: Path, parser: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_gz, "MIN_CAP", 2**16)
    monkeypatch.setattr(csv_gz, "BLOCK", 2**14)
    with pytest.raises(DataError, match="unpacks to more than 250 times its size"):
        read_csv(packed(tmp_path, "0\n" * 10**7), kind="int64")


def test_text_rows_drop_the_header(tmp_path: Path) -> None:
    assert read_text_rows(packed(tmp_path, 'label idx,name\n0,arxiv cs na\n1,"b, c"\r\n')) == [
        ["0", "arxiv cs na"],
        ["1", "b, c"],
    ]


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(st.integers(-(2**62), 2**62), st.integers(0, 100)), min_size=1))
def test_random_tables_come_back(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, int]]) -> None:
    path = packed(tmp_path_factory.getbasetemp(), "".join(f"{a},{b}\n" for a, b in rows))
    assert read_csv(path, kind="int64").tolist() == [list(row) for row in rows]


@pytest.mark.parametrize("kind", ["int64", "float32"])
@settings(max_examples=150, deadline=None)
@given(content=st.binary(max_size=60))
def test_random_bytes_give_our_error_or_a_table(
    tmp_path_factory: pytest.TempPathFactory, kind: csv_gz.Kind, content: bytes
) -> None:
    path = packed(tmp_path_factory.getbasetemp(), content)
    with suppress(DataError):
        assert read_csv(path, kind=kind).ndim == 2
