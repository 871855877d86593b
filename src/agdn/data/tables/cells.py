"""Text cells -> typed columns, batch by batch, so that a long table never lies in memory as text twice.

A collector takes the cells of one column as they are read and ends in a compact array; what does not fit is refused
with the file, the row and the column.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from agdn.data.errors import DataError
from agdn.data.tables.table_file import Table

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null")
LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Categories:
    """A column of repeated words: ``names[codes[i]]`` is the cell of row ``i``; -1 is a missing one."""

    codes: np.ndarray  # (N,) int32
    names: tuple[str, ...]


Column = np.ndarray | Categories | list[str]


def column_length(column: Column) -> int:
    return len(column.codes if isinstance(column, Categories) else column)


class Collector(Protocol):
    def add(self, cells: Sequence[str], row: int) -> None: ...

    def result(self) -> Column: ...


def parse_number(cell: str) -> float | None:
    """A finite number that float32 can hold, or None."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if -LARGEST <= value <= LARGEST and "_" not in cell else None


class Numbers:
    """(N,) float64, NaN where a cell is missing."""

    def __init__(
        self,
        table: Table,
        column: str,
        missing: Iterable[str] = MISSING,
        *,
        remedy: str = "correct it, or treat the column as categorical or text",
    ) -> None:
        self._table, self._column, self._missing, self._remedy = table, column, frozenset(missing), remedy
        self._values = array("d")

    def add(self, cells: Sequence[str], row: int) -> None:
        for offset, cell in enumerate(cells):
            value = parse_number(cell)
            if value is None:
                if cell.strip() not in self._missing:
                    raise DataError(
                        f"{self._table.name}, row {row + offset}, column {self._column!r}: {cell!r} is no number; "
                        f"{self._remedy}"
                    )
                value = np.nan
            self._values.append(value)

    def result(self) -> np.ndarray:
        return np.array(self._values, dtype=np.float64)


class Words:
    """Categories, numbered in the order in which they first occur."""

    def __init__(self, missing: Iterable[str] = MISSING) -> None:
        self._codes_of = dict.fromkeys(missing, -1)
        self._names: list[str] = []
        self._codes = array("i")

    def add(self, cells: Sequence[str], row: int) -> None:
        codes = self._codes_of
        for cell in map(str.strip, cells):
            code = codes.get(cell)
            if code is None:
                code = codes[cell] = len(self._names)
                self._names.append(cell)
            self._codes.append(code)

    def result(self) -> Categories:
        return Categories(np.array(self._codes, dtype=np.int32), tuple(self._names))


class Documents:
    """Free text as it stands; a missing cell is an empty text."""

    def __init__(self, missing: Iterable[str] = MISSING) -> None:
        self._missing = frozenset(missing)
        self._texts: list[str] = []

    def add(self, cells: Sequence[str], row: int) -> None:
        self._texts.extend("" if cell.strip() in self._missing else cell for cell in cells)

    def result(self) -> list[str]:
        return self._texts


def collect(table: Table, collectors: dict[str, Collector]) -> dict[str, Column]:
    """Read the columns named by ``collectors`` in one pass."""
    for batch in table.batches(list(collectors)) if collectors else ():
        for name, collector in collectors.items():
            collector.add(batch.columns[name], batch.row)
    return {name: collector.result() for name, collector in collectors.items()}
