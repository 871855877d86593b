"""The user's ids -> rows, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from agdn.data.errors import DataError
from agdn.data.id_file import text_array
from agdn.data.tables.table_file import Table

INT64 = range(-(2**63), 2**63)
NO_END = "has an empty cell where a node id must stand; fill it in, or leave the row out"


class IdMap:
    """Numbers ids in the order in which they come."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}

    @classmethod
    def of_column(cls, table: Table, column: str) -> Self:
        """One node a row; a repeated or empty id is refused."""
        ids = cls()
        for batch in table.batches([column]):
            ids._add_distinct([cell.strip() for cell in batch.columns[column]], table, batch.row)
        if not ids:
            raise DataError(f"{table.name} has a header but no rows")
        return ids

    def __len__(self) -> int:
        return len(self._rows)

    def _add_distinct(self, cells: list[str], table: Table, first_row: int) -> None:
        rows = self._rows
        for row, cell in enumerate(cells, first_row):
            number = len(rows)
            if not cell or "\0" in cell:
                raise DataError(f"{table.name}, row {row} has no usable id; give it one, or leave the row out")
            if rows.setdefault(cell, number) != number:
                raise DataError(f"{table.name}, row {row} repeats the id {cell!r}; give every node an id of its own")

    def add(self, cells: Sequence[str], table: Table, row: int) -> np.ndarray:
        """Rows of ``cells``; an id that is new gets the next row."""
        rows = self._rows
        found = np.fromiter((rows.setdefault(cell, len(rows)) for cell in map(str.strip, cells)), np.int64, len(cells))
        if "" in rows:
            offset = next(offset for offset, cell in enumerate(cells) if not cell.strip())
            raise DataError(f"{table.name}, row {row + offset} {NO_END}")
        return found

    def find(self, cells: Sequence[str], table: Table, row: int) -> np.ndarray:
        """Rows of ``cells``; an id that no node has is refused."""
        try:
            return np.fromiter(map(self._rows.__getitem__, cells), np.int64, len(cells))
        except KeyError:
            stripped = [cell.strip() for cell in cells]
        for offset, cell in enumerate(stripped):
            if not cell:
                raise DataError(f"{table.name}, row {row + offset} {NO_END}")
            if cell not in self._rows:
                raise DataError(
                    f"{table.name}, row {row + offset} names the node {cell!r}, which the node table lacks; "
                    "add it there, or leave this row out"
                )
        return np.fromiter(map(self._rows.__getitem__, stripped), np.int64, len(cells))

    def array(self) -> np.ndarray:
        """The ids by row: integers where every one is written as one, else text."""
        ids = list(self._rows)
        try:
            numbers = [int(cell) for cell in ids]
        except ValueError:
            return text_array(ids)
        if all(str(number) == cell and number in INT64 for number, cell in zip(numbers, ids, strict=True)):
            return np.array(numbers, dtype=np.int64)
        return text_array(ids)
