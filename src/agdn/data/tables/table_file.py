"""A table in the user's own format -> batches of text cells: CSV, TSV (also gzipped), Parquet, or columns in memory.

Every format ends in the same thing, cells of text with ``""`` for a missing one, so that everything after this file
has one meaning and one kind of error. Rows are counted as a spreadsheet shows them: the header of a CSV is row 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from agdn.data.errors import DataError

BATCH_ROWS = 20_000
NOTHING = frozenset(("None", "nan", "<NA>", "NaT"))  # how Python, NumPy and data frames write a missing value


@dataclass(frozen=True)
class Batch:
    """Some rows of a table; ``row`` is what a user would call the first of them, ``done`` the fraction read by now."""

    row: int
    columns: Mapping[str, Sequence[str]]
    done: float

    @property
    def size(self) -> int:
        return len(next(iter(self.columns.values())))


@runtime_checkable
class Table(Protocol):
    """What the import needs of a table, whatever holds it."""

    @property
    def name(self) -> str: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Batch]: ...


TableSource = Path | str | Mapping[str, Sequence[Any]]


def open_table(source: TableSource) -> Table:
    """A table from a file (by its ending), or from columns by name: a mapping or a data frame."""
    if not isinstance(source, (str, Path)):
        if not hasattr(source, "items"):
            raise DataError(f"a table is a file or columns by name, not {type(source).__name__}")
        return ColumnTable(dict(source.items()))
    path = Path(source)
    if not path.is_file():
        raise DataError(f"{path} does not exist or is not a file")
    if path.suffix.lower() in (".parquet", ".pq"):
        from agdn.data.tables.parquet_file import ParquetTable

        return ParquetTable(path)
    from agdn.data.tables.csv_file import CsvTable

    return CsvTable(path)


class ColumnTable:
    """Columns in memory: lists, NumPy arrays, the series of a data frame."""

    def __init__(self, columns: Mapping[str, Sequence[Any]], name: str = "the table") -> None:
        self.name = name
        self.columns = tuple(columns)
        self._cells = {column: _as_cells(values) for column, values in columns.items()}
        lengths = {column: len(cells) for column, cells in self._cells.items()}
        if len(set(lengths.values())) > 1:
            raise DataError(f"{name}: its columns have different lengths: {lengths}")
        self._rows = next(iter(lengths.values()), 0)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        names = self.columns if columns is None else require_columns(self, columns)
        for start in range(0, self._rows, BATCH_ROWS):
            cells = {name: self._cells[name][start : start + BATCH_ROWS] for name in names}
            yield Batch(start + 1, cells, min(1.0, (start + BATCH_ROWS) / self._rows))


class WatchedTable:
    """A table that reports how far it has been read."""

    def __init__(self, table: Table, report: Callable[[str, float], None], task: str) -> None:
        self.name, self.columns = table.name, table.columns
        self._table, self._report, self._task = table, report, task

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        for batch in self._table.batches(columns):
            yield batch
            self._report(self._task, batch.done)


def require_columns(table: Table, columns: Sequence[str]) -> tuple[str, ...]:
    """``columns``, each of which the table must have."""
    for column in columns:
        if column not in table.columns:
            raise DataError(f"{table.name} has no column {column!r}; its columns are {', '.join(table.columns)}")
    return tuple(columns)


def _as_cells(values: Sequence[Any]) -> list[str]:
    return [value if isinstance(value, str) else "" if (cell := str(value)) in NOTHING else cell for value in values]
