"""What a CSV says is what is read; what it gets wrong is named with file and row."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agdn.data.errors import DataError
from agdn.data.tables import table_file
from agdn.data.tables.csv_file import CsvTable


def read(path: Path) -> dict[str, list[str]]:
    table = CsvTable(path)
    cells: dict[str, list[str]] = {column: [] for column in table.columns}
    for batch in table.batches():
        for column, values in batch.columns.items():
            cells[column].extend(values)
    return cells


def written(tmp_path: Path, content: bytes, name: str = "nodes.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"id,note\n1,a\n2,b\n", "plain.csv"),
        (b"\xef\xbb\xbfid,note\r\n1,a\r\n2,b\r\n", "windows.csv"),
        (b"id;note\n1;a\n2;b", "semicolon.csv"),
        (b"id\tnote\n1\ta\n\n2\tb\n\n", "tabs.tsv"),
        (gzip.compress(b"id,note\n1,a\n2,b\n", mtime=0), "packed.csv.gz"),
    ],
)
def test_dialects_say_the_same(tmp_path: Path, content: bytes, name: str) -> None:
    assert read(written(tmp_path, content, name)) == {"id": ["1", "2"], "note": ["a", "b"]}


def test_quoted_newlines_and_quotes(tmp_path: Path) -> None:
    path = written(tmp_path, b'id,note\n1,"two\nlines, ""quoted"""\n2,b\n')
    assert read(path) == {"id": ["1", "2"], "note": ['two\nlines, "quoted"', "b"]}


def test_batches_count_rows_as_a_spreadsheet_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agdn.data.tables.csv_file.BATCH_ROWS", 2)
    batches = list(CsvTable(written(tmp_path, b"id\n1\n2\n3\n")).batches())
    assert [batch.row for batch in batches] == [2, 4]
    assert batches[-1].done == 1.0


def test_only_the_columns_asked_for(tmp_path: Path) -> None:
    (batch,) = CsvTable(written(tmp_path, b"a,b,c\n1,2,3\n")).batches(["c", "a"])
    assert dict(batch.columns) == {"c": ("3",), "a": ("1",)}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"id,label\n1,a\n2\n", "row 3 has 1 cells, but the header has 2"),
        (b"id,label\n1,a,b\n", "row 2 has 3 cells"),
        (b"id,id\n1,2\n", "names the column 'id' twice"),
        (b"id,name\n1,Ren\xe9\n", "not UTF-8 text .*0xe9 in line 2"),
        ("id,name\n1,x\n".encode("utf-16"), "not UTF-8 text"),
        (b'id,name\n1,"never closed\n', "line 2: .*quotes"),
        (b'id,name\n1,"a"b\n', "line 2: "),
    ],
)
def test_faults_are_named(tmp_path: Path, content: bytes, sentence: str) -> None:
    with pytest.raises(DataError, match=rf"nodes\.csv.*{sentence}"):
        read(written(tmp_path, content))


def test_a_cut_gzip_is_named(tmp_path: Path) -> None:
    packed = gzip.compress(b"id\n" + b"".join(b"%d\n" % number for number in range(10_000)))
    with pytest.raises(DataError, match="truncated"):
        read(written(tmp_path, packed[: len(packed) // 2], "cut.csv.gz"))


def test_a_missing_column_lists_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no column 'label'; its columns are id, name"):
        list(CsvTable(written(tmp_path, b"id,name\n1,x\n")).batches(["label"]))


@settings(max_examples=150, deadline=None)
@given(content=st.binary(max_size=200), ending=st.sampled_from([".csv", ".tsv", ".csv.gz", ".parquet"]))
def test_random_bytes_give_a_table_or_our_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, ending: str
) -> None:
    path = tmp_path_factory.mktemp("bytes") / f"table{ending}"
    path.write_bytes(content)
    with contextlib.suppress(DataError):
        for batch in table_file.open_table(path).batches():
            assert batch.size > 0


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.tuples(CELLS, CELLS), max_size=8))
def test_what_csv_writes_we_read(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows([("left", "right"), *rows])
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    path.write_bytes(text.getvalue().encode())
    assert read(path) == {"left": [left for left, _ in rows], "right": [right for _, right in rows]}
