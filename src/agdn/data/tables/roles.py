"""Which column is what: read from the cells, overruled by the user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agdn.data.errors import DataError
from agdn.data.tables.cells import MISSING, parse_number
from agdn.data.tables.table_file import Table, require_columns
from agdn.data.tables.times import is_date

Role = Literal["numeric", "date", "categorical", "text", "ranked", "ignore"]

TEXT_WORDS = 3.0  # words a cell, on average, from which a column is text
UNIQUE_SHARE = 0.9  # share of different values from which single words are names of rows, not categories
FEW_ROWS = 20
NEARLY = 0.95  # share of numbers from which a word among them is a mistake, not another category


@dataclass(frozen=True)
class ColumnRole:
    """What a column is taken for, and why."""

    column: str
    role: Role
    why: str


def infer_roles(
    table: Table,
    columns: Sequence[str],
    *,
    given: Mapping[str, Role],
    missing: Iterable[str] = MISSING,
) -> list[ColumnRole]:
    """A role for each of ``columns``: the one in ``given``, else what its cells look like.

    A word in a column of numbers is refused: as categories the numbers would be lost without anyone noticing.
    """
    require_columns(table, list(given))
    open_columns = [column for column in columns if column not in given]
    scans = {column: _Scan(table, column, frozenset(missing)) for column in open_columns}
    for batch in table.batches(open_columns) if open_columns else ():
        for column, scan in scans.items():
            scan.add(batch.columns[column], batch.row)
    return [
        ColumnRole(column, given[column], "as told") if column in given else scans[column].role() for column in columns
    ]


def given_roles(
    *,
    numeric: Sequence[str] = (),
    date: Sequence[str] = (),
    categorical: Sequence[str] = (),
    text: Sequence[str] = (),
    ranked: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> dict[str, Role]:
    """The user's own word on columns; a column in two lists is refused."""
    lists: dict[Role, Sequence[str]] = {
        "numeric": numeric,
        "date": date,
        "categorical": categorical,
        "text": text,
        "ranked": ranked,
        "ignore": ignore,
    }
    roles: dict[str, Role] = {}
    for role, columns in lists.items():
        for column in columns:
            if roles.setdefault(column, role) != role:
                raise DataError(f"column {column!r} is given as {roles[column]} and as {role}; choose one")
    return roles


class _Scan:
    """What one pass over a column tells, in memory that does not grow past the number of different values."""

    def __init__(self, table: Table, column: str, missing: frozenset[str]) -> None:
        self._table, self._column, self._missing = table, column, missing
        self._rows = self._filled = self._words = self._numbers = 0
        self._nearly_numeric = self._dates = True
        self._first_word: tuple[int, str] | None = None
        self._values: set[int] = set()

    def add(self, cells: Sequence[str], row: int) -> None:
        self._rows += len(cells)
        filled = [cell for cell in map(str.strip, cells) if cell not in self._missing]
        self._filled += len(filled)
        if self._nearly_numeric:
            self._count_numbers(cells, row)
        if self._dates:
            self._dates = all(map(is_date, filled))
        self._words += sum(map(len, map(str.split, filled)))
        self._values.update(map(hash, filled))

    def _count_numbers(self, cells: Sequence[str], row: int) -> None:
        for offset, cell in enumerate(map(str.strip, cells)):
            if cell in self._missing:
                continue
            if parse_number(cell) is not None:
                self._numbers += 1
            elif self._first_word is None:
                self._first_word = (row + offset, cell)
        self._nearly_numeric = self._numbers >= NEARLY * self._filled

    def role(self) -> ColumnRole:
        column = self._column
        if not self._filled:
            return ColumnRole(column, "ignore", "no value in any row")
        if self._first_word is None:
            return ColumnRole(column, "numeric", "every value is a number")
        if self._nearly_numeric and self._filled >= FEW_ROWS:
            row, cell = self._first_word
            raise DataError(
                f"{self._table.name}, row {row}, column {column!r}: {cell!r} is no number, but {self._numbers:,} of "
                f"{self._filled:,} values are; correct or empty the cell, or say that the column is categorical"
            )
        words, different = self._words / self._filled, len(self._values)
        if self._dates:
            return ColumnRole(column, "date", "every value is a date")
        if words >= TEXT_WORDS:
            return ColumnRole(column, "text", f"{words:.0f} words a cell")
        if self._filled >= FEW_ROWS and different > UNIQUE_SHARE * self._filled:
            return ColumnRole(column, "ignore", f"{different:,} different values in {self._filled:,} rows")
        return ColumnRole(column, "categorical", f"{different:,} different values")
