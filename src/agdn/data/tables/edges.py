"""The edge table -> ends as row numbers, with the columns that are asked for, in one streamed pass."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agdn.data.errors import DataError
from agdn.data.tables.cells import Numbers
from agdn.data.tables.ids import IdMap
from agdn.data.tables.split import parse_times
from agdn.data.tables.table_file import Table

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
    weights = Numbers(table, weight, missing) if weight else None
    times = array("d")
    wanted = list(dict.fromkeys([*ends, *filter(None, (weight, time))]))
    for batch in table.batches(wanted):
        look_up = ids.add if grow else ids.find
        pieces.append(np.stack([look_up(batch.columns[end], table, batch.row) for end in ends]))
        if weights is not None and weight:
            weights.add(batch.columns[weight], batch.row)
        if time:
            times.extend(parse_times(batch.columns[time], table=table, column=time, row=batch.row, missing=missing))
    return Edges(
        ends=np.concatenate(pieces, axis=1) if pieces else np.empty((2, 0), dtype=np.int64),
        weight=_complete(weights.result(), table, weight).astype(np.float32) if weights is not None else None,
        time=_complete(np.array(times), table, time) if time else None,
    )


def _complete(values: np.ndarray, table: Table, column: str | None) -> np.ndarray:
    if np.isnan(values).any():
        edge = int(np.isnan(values).argmax()) + 1
        raise DataError(f"{table.name}: edge {edge} has no value in column {column!r}; every edge needs one")
    return values
