"""CSV and TSV, plain or gzipped, streamed: quoted newlines, byte order marks and Windows line ends as they come."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from agdn.data.errors import DataError
from agdn.data.tables.table_file import Batch, require_columns

CELL_LIMIT = 2**24  # characters; a quote that is never closed would otherwise swallow the file
BATCH_ROWS = 500  # rows that die young: with larger batches the garbage collector takes half of the time
DELIMITERS = (",", ";", "\t")


class CsvTable:
    """One file with a header. The delimiter is a tab in .tsv, else the likeliest of the header line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = str(path)
        with self._records() as (records, _):
            header = next(records, None)
        if header is None:
            raise DataError(f"{path} is empty; its first row must name the columns")
        self.columns = tuple(cell.strip() or f"column_{index + 1}" for index, cell in enumerate(header))
        repeated = next((name for index, name in enumerate(self.columns) if name in self.columns[:index]), None)
        if repeated is not None:
            raise DataError(f"{path} names the column {repeated!r} twice; give every column a name of its own")

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        names = self.columns if columns is None else require_columns(self, columns)
        places = [self.columns.index(name) for name in names]
        width, size = len(self.columns), max(self.path.stat().st_size, 1)
        with self._records() as (records, raw):
            next(records)
            row = 2
            while rows := list(islice(records, BATCH_ROWS)):
                if set(map(len, rows)) != {width}:
                    index = next(index for index, cells in enumerate(rows) if len(cells) != width)
                    raise DataError(
                        f"{self.path}, row {row + index} has {len(rows[index])} cells, but the header has {width}; "
                        "text that holds the separator must stand between quotes"
                    )
                by_column = list(zip(*rows, strict=True))
                yield Batch(
                    row, dict(zip(names, (by_column[place] for place in places), strict=True)), raw.tell() / size
                )
                row += len(rows)

    @contextmanager
    def _records(self) -> Iterator[tuple[Iterator[list[str]], BinaryIO]]:
        """The rows that are not blank, and the file underneath, whose position tells how far they are read."""
        csv.field_size_limit(max(csv.field_size_limit(), CELL_LIMIT))
        with self.path.open("rb") as raw:
            text = io.TextIOWrapper(self._unpacked(raw), encoding="utf-8-sig", newline="")
            reader = None
            try:
                header = text.readline(CELL_LIMIT)
                reader = csv.reader(
                    chain([header] if header else [], text), delimiter=self._delimiter(header), strict=True
                )
                yield filter(None, reader), raw
            except UnicodeDecodeError as error:
                raise DataError(
                    f"{self.path} is not UTF-8 text (byte 0x{error.object[error.start]:02x} in line "
                    f"{self._undecodable_line()}); save it as UTF-8"
                ) from None
            except csv.Error as error:
                line = reader.line_num if reader else 1
                raise DataError(f"{self.path}, line {line}: {error}; quotes inside a cell must be doubled") from None
            except (OSError, EOFError, zlib.error) as error:
                raise DataError(f"{self.path} cannot be read to its end ({error}); it may be truncated") from None

    def _unpacked(self, raw: BinaryIO) -> BinaryIO:
        return gzip.GzipFile(fileobj=raw) if self.path.suffix.lower() == ".gz" else raw  # type: ignore[return-value]

    def _delimiter(self, header: str) -> str:
        if ".tsv" in [suffix.lower() for suffix in self.path.suffixes]:
            return "\t"
        return max(DELIMITERS, key=header.count)

    def _undecodable_line(self) -> int:
        with self.path.open("rb") as raw:
            for number, line in enumerate(self._unpacked(raw), 1):
                try:
                    line.decode()
                except UnicodeDecodeError:
                    return number
        return 1
