"""Times in cells -> seconds, or the number that stands there."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime

import numpy as np

from agdn.data.errors import DataError
from agdn.data.tables.cells import MISSING, parse_number
from agdn.data.tables.table_file import Table


class Times:
    """(N,) float64 seconds, NaN where a cell is missing."""

    def __init__(self, table: Table, column: str, missing: Iterable[str] = MISSING) -> None:
        self._table, self._column, self._missing = table, column, frozenset(missing)
        self._values = array("d")

    def add(self, cells: Sequence[str], row: int) -> None:
        self._values.extend(parse_times(cells, table=self._table, column=self._column, row=row, missing=self._missing))

    def result(self) -> np.ndarray:
        return np.array(self._values, dtype=np.float64)


def parse_times(cells: Sequence[str], *, table: Table, column: str, row: int, missing: Collection[str]) -> list[float]:
    """Numbers (a year, a Unix time) as they are, ISO dates as seconds; missing is NaN."""
    return [_time(cell.strip(), table, column, number, missing) for number, cell in enumerate(cells, row)]


def is_date(cell: str) -> bool:
    """Whether a cell is written as 2024-01-31, with or without a time of day."""
    if cell[4:5] != "-":
        return False
    try:
        datetime.fromisoformat(cell)
    except ValueError:
        return False
    return True


def _time(cell: str, table: Table, column: str, row: int, missing: Collection[str]) -> float:
    if (number := parse_number(cell)) is not None:
        return number
    if cell in missing:
        return float("nan")
    try:
        moment = datetime.fromisoformat(cell)
    except ValueError:
        raise DataError(
            f"{table.name}, row {row}, column {column!r}: {cell!r} is no time; give a number or a date like 2024-01-31"
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
