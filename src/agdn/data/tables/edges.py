"""The edge table -> ends as row numbers, with the columns that are asked for, in one streamed pass."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agdn.data.errors import DataError
from agdn.data.tables.cells import Numbers
from agdn.data.tables.ids import IdMap
from agdn.data.tables.table_file import Table
from agdn.data.tables.times import parse_times

END_NAMES = (("source", "target"), ("src", "dst"), ("from", "to"), ("source", "destination"), ("u", "v"))


@dataclass(frozen=True)
class Edges:
    """Ends (2, E) int64 in file order; weights and times where there is a column for them."""

    ends: np.ndarray
    weight: np.ndarray | None
    time: np.ndarray | None

    def part(self, places: np.ndarray) -> Edges:
        """The edges at ``places``."""
        weight, time = (None if signal is None else signal[places] for signal in (self.weight, self.time))
        return Edges(np.ascontiguousarray(self.ends[:, places]), weight, time)


def end_columns(table: Table, source: str | None, destination: str | None) -> tuple[str, str]:
    """The two columns of ids: those given, else a well-known pair of names, else the first two."""
    if len(table.columns) < 2:
        raise DataError(f"{table.name} has the single column {table.columns[0]!r}; edges need a source and a target")
    lower = {column.lower(): column for column in table.columns}
    pair = next(((lower[a], lower[b]) for a, b in END_NAMES if a in lower and b in lower), table.columns[:2])
    return (source or pair[0], destination or pair[1])


def read_edges(
    table: Table,
    ids: IdMap,
    ends: tuple[str, str],
    *,
    grow: bool,
    weight: str | None = None,
    time: str | None = None,
    missing: Sequence[str] = (),
) -> Edges:
    """Stream the table once. ``grow`` numbers ids that are new; without it they are refused."""
    pieces: list[np.ndarray] = []
    weights = Numbers(table, weight, missing, remedy="an edge weight is a plain number") if weight else None
    times = array("d")
    wanted = list(dict.fromkeys([*ends, *filter(None, (weight, time))]))
    first = 1
    for batch in table.batches(wanted):
        first = batch.row if not pieces else first
        look_up = ids.add if grow else ids.find
        pieces.append(np.stack([look_up(batch.columns[end], table, batch.row) for end in ends]))
        if weights is not None and weight:
            weights.add(batch.columns[weight], batch.row)
        if time:
            times.extend(parse_times(batch.columns[time], table=table, column=time, row=batch.row, missing=missing))
    return Edges(
        ends=np.concatenate(pieces, axis=1) if pieces else np.empty((2, 0), dtype=np.int64),
        weight=_complete(weights.result(), table, weight, first).astype(np.float32) if weights is not None else None,
        time=_complete(np.array(times), table, time, first) if time else None,
    )


def _complete(values: np.ndarray, table: Table, column: str | None, first_row: int) -> np.ndarray:
    if np.isnan(values).any():
        row = first_row + int(np.isnan(values).argmax())
        raise DataError(
            f"{table.name}, row {row} has no value in column {column!r}; every edge needs one: "
            "fill it in, or leave the row out"
        )
    return values
