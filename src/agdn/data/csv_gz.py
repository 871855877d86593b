"""Headerless ``.csv.gz`` tables of numbers, as OGB publishes them: parsed fast, capped, and exact about a bad row."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np

from agdn.data.errors import DataError

Kind = Literal["int64", "float32"]
MAX_RATIO = 250
MIN_CAP = 2**30
BLOCK = 2**24


def read_csv(path: Path, *, kind: Kind) -> np.ndarray:
    """The table as a ``(rows, columns)`` array; the first bad row is named where there is one."""
    width = _first_row_width(path)
    if width == 0:
        return np.empty((0, 0), kind)
    parse = _parse_with_arrow if find_spec("pyarrow") else _parse_with_numpy
    try:
        with _unpacked(path) as stream:
            return parse(stream, width, kind)
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(_bad_row(path, width, kind) or f"{path} cannot be parsed: {error}") from None


def read_text_rows(path: Path) -> list[list[str]]:
    """The cells of a small table with a header, such as a mapping from index to name, without the header."""
    with _unpacked(path) as stream, io.TextIOWrapper(stream, "utf-8", errors="replace", newline="") as text:
        try:
            return list(csv.reader(text))[1:]
        except csv.Error as error:
            raise DataError(f"{path} is not a readable table: {error}") from None


class _Capped(io.RawIOBase):
    """An unpacked stream that ends in an error where a small file unpacks to an absurd size."""

    def __init__(self, stream: BinaryIO, path: Path) -> None:
        self.stream = stream
        self.path = path
        self.left = max(MIN_CAP, MAX_RATIO * path.stat().st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self.stream.read(len(buffer))
        buffer[: len(chunk)] = chunk
        self.left -= len(chunk)
        if self.left < 0:
            raise DataError(f"{self.path} unpacks to more than {MAX_RATIO} times its size and was refused")
        return len(chunk)


@contextmanager
def _unpacked(path: Path) -> Iterator[io.BufferedReader]:
    try:
        with gzip.open(path, "rb") as packed:
            yield io.BufferedReader(_Capped(packed, path), BLOCK)  # type: ignore[arg-type]
    except FileNotFoundError:
        raise DataError(f"{path} is missing") from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise DataError(f"{path} is cut off or not a gzip file; fetch it again") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error}") from None


def _first_row_width(path: Path) -> int:
    with _unpacked(path) as stream:
        line = stream.readline(BLOCK)
    return line.count(b",") + 1 if line.strip() else 0


def _parse_with_arrow(stream: BinaryIO, width: int, kind: Kind) -> np.ndarray:
    import pyarrow
    from pyarrow import csv as arrow_csv

    names = [str(column) for column in range(width)]
    convert = arrow_csv.ConvertOptions(
        column_types=dict.fromkeys(names, pyarrow.type_for_alias(kind)),
        null_values=["", "nan", "NaN"] if kind == "float32" else [],
    )
    read = arrow_csv.ReadOptions(column_names=names, block_size=BLOCK, use_threads=False)
    with arrow_csv.open_csv(stream, read_options=read, convert_options=convert) as batches:
        blocks = [_rows(batch, width, kind) for batch in batches]
    return np.concatenate(blocks) if blocks else np.empty((0, width), kind)


def _rows(batch: Any, width: int, kind: Kind) -> np.ndarray:
    rows = np.empty((batch.num_rows, width), kind)
    for column in range(width):
        rows[:, column] = batch.column(column).to_numpy(zero_copy_only=False)
    return rows


def _parse_with_numpy(stream: BinaryIO, width: int, kind: Kind) -> np.ndarray:
    text = io.TextIOWrapper(stream, encoding="latin1")
    rows = np.loadtxt(text, delimiter=",", dtype=kind, ndmin=2, comments=None)
    if rows.shape[1] != width:
        raise ValueError(f"it has {rows.shape[1]} columns after {width}")
    return rows


def _bad_row(path: Path, width: int, kind: Kind) -> str | None:
    """A sentence about the first row that is not ``width`` numbers: the slow way, taken once it is known to exist."""
    convert = int if kind == "int64" else float
    wanted = "whole numbers below 2^63" if kind == "int64" else "numbers"
    with _unpacked(path) as stream:
        for number, line in enumerate(stream, start=1):
            cells = line.decode("latin1").strip().split(",")
            if len(cells) != width:
                return f"{path}, row {number} has {len(cells)} columns; the rows before it have {width}"
            for cell in cells:
                try:
                    fits = kind == "float32" or -(2**63) <= convert(cell) < 2**63
                    if kind == "float32" and cell:
                        convert(cell)
                except ValueError:
                    fits = False
                if not fits:
                    return f"{path}, row {number} holds {cell[:40]!r}; it must hold {wanted}"
    return None
