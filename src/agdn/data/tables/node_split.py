"""The split of nodes that the options ask for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agdn.data.errors import DataError
from agdn.data.tables import split
from agdn.data.tables.cells import Categories, Words, collect
from agdn.data.tables.options import ImportOptions
from agdn.data.tables.table_file import Table
from agdn.data.tables.target import Labels
from agdn.data.tables.times import Times


def node_parts(nodes: Table, labels: Labels, times: np.ndarray | None, options: ImportOptions) -> split.Parts:
    """Labelled rows by part: from a column of words, or drawn by the fractions."""
    known = np.flatnonzero(labels.known)
    if options.split_column is not None:
        words = collect(nodes, {options.split_column: Words(options.missing)})[options.split_column]
        assert isinstance(words, Categories)
        first_row = next(batch.row for batch in nodes.batches([options.split_column]))
        parts = split.by_word(words, table=nodes, column=options.split_column, first_row=first_row)
        labelled = labels.known
        parts = (parts[0][labelled[parts[0]]], parts[1][labelled[parts[1]]], parts[2][labelled[parts[2]]])
        return split.require_parts(parts, f"of the labelled rows in column {options.split_column!r}")
    if options.split_by == "time" and times is not None:
        parts = split.by_time(known, times, options.fractions)
    elif options.split_by == "stratified" and labels.task != "class":
        raise DataError(f"a stratified split needs classes, but the target is {labels.task}; use random")
    elif labels.task == "class" and options.split_by != "random":
        parts = split.by_class(known, labels.y, options.fractions, options.seed)
    else:
        parts = split.by_chance(known, options.fractions, options.seed)
    return split.require_parts(parts, f"of {len(known)} labelled rows by {options.fractions}")


def read_times(nodes: Table, column: str, missing: Sequence[str]) -> np.ndarray:
    """(N,) float64 times of the nodes, NaN where missing."""
    return np.asarray(collect(nodes, {column: Times(nodes, column, missing)})[column])
