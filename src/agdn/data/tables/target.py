"""The target column or columns -> labels, with what they are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from agdn.data.errors import DataError
from agdn.data.tables.cells import MISSING, Categories, Numbers, Words, collect, parse_number
from agdn.data.tables.table_file import Table

Task = Literal["class", "multilabel", "numeric"]
YES, NO = frozenset(("1", "1.0", "true", "yes", "y", "t")), frozenset(("0", "0.0", "false", "no", "n", "f"))
MOST_NUMBERED_CLASSES = 100  # whole numbers with more different values than this are taken for quantities


@dataclass(frozen=True)
class Labels:
    """``y`` as in Dataset: (N,) int64 with -1, (N, T) float32 with NaN, or (N,) float32 with NaN for unknown."""

    task: Task
    y: np.ndarray
    names: tuple[str, ...] | None
    remarks: tuple[str, ...] = ()

    @property
    def known(self) -> np.ndarray:
        """(N,) bool: rows with at least one known label."""
        known: np.ndarray = self.y >= 0 if self.task == "class" else ~np.isnan(self.y)
        return known if known.ndim == 1 else np.asarray(known.any(axis=1))


def read_labels(
    table: Table,
    columns: Sequence[str],
    *,
    task: Task | None = None,
    separator: str | None = None,
    missing: Iterable[str] = MISSING,
) -> Labels:
    """Labels from one column (a class, a number, or tags between ``separator``) or from one yes/no column a task."""
    missing = tuple(missing)
    if separator is not None and len(columns) > 1:
        raise DataError("give a separator for one column of tags, or several target columns, not both")
    if task not in (None, "multilabel") and (len(columns) > 1 or separator is not None):
        raise DataError(f"a {task} target is one column without a separator, got {', '.join(columns)}")
    if task == "numeric":
        return _numbers(table, columns[0], missing)
    read = collect(table, {column: Words(missing) for column in columns})
    cells = {column: words for column, words in read.items() if isinstance(words, Categories)}
    for column, words in cells.items():
        if not words.names:
            raise DataError(f"{table.name}: column {column!r} has no label in any row")
    if separator is not None:
        return _tags(cells[columns[0]], separator)
    if len(columns) > 1 or task == "multilabel":
        return _flags(table, cells)
    if task is None and _looks_numeric(cells[columns[0]]):
        return _numbers(table, columns[0], missing)
    return _classes(table, columns[0], cells[columns[0]])


def _classes(table: Table, column: str, words: Categories) -> Labels:
    if len(words.names) == 1:
        raise DataError(f"{table.name}: column {column!r} has the single class {words.names[0]!r}; two are needed")
    order = sorted(range(len(words.names)), key=lambda code: _sort_key(words.names[code]))
    rank = np.empty(len(order) + 1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = -1
    names = tuple(words.names[code] for code in order)
    return Labels("class", rank[words.codes], names, _lonely(table, column, words))


def _lonely(table: Table, column: str, words: Categories) -> tuple[str, ...]:
    """A remark on classes that a single row has, which often are misspellings."""
    counts = np.bincount(words.codes[words.codes >= 0], minlength=len(words.names))
    lonely = np.flatnonzero(counts == 1)
    if not len(lonely):
        return ()
    first = next(batch.row for batch in table.batches([column]))
    row = first + int(np.flatnonzero(words.codes == lonely[0])[0])
    more = f" ({len(lonely) - 1:,} more classes are like it)" if len(lonely) > 1 else ""
    return (
        f"{table.name}, row {row}, column {column!r}: the class {words.names[lonely[0]]!r} is in no other row{more}; "
        "nothing can test it: correct it if it is misspelt",
    )


def _numbers(table: Table, column: str, missing: tuple[str, ...]) -> Labels:
    values = collect(table, {column: Numbers(table, column, missing)})[column]
    y = np.asarray(values, dtype=np.float32)
    if np.isnan(y).all():
        raise DataError(f"{table.name}: column {column!r} has no label in any row")
    return Labels("numeric", y, None)


def _tags(words: Categories, separator: str) -> Labels:
    tags = [{tag for part in name.split(separator) if (tag := part.strip())} for name in words.names]
    names = sorted(set().union(*tags), key=_sort_key)
    if not names:
        raise DataError(f"the target has no tag between separators {separator!r} in any row")
    places = {name: place for place, name in enumerate(names)}
    rows = np.zeros((len(tags) + 1, len(names)), dtype=np.float32)
    for code, own in enumerate(tags):
        rows[code, [places[tag] for tag in own]] = 1.0
    rows[-1] = np.nan
    return Labels("multilabel", rows[words.codes], tuple(names))


def _flags(table: Table, cells: dict[str, Categories]) -> Labels:
    columns = []
    for column, words in cells.items():
        values = np.full(len(words.names) + 1, np.nan, dtype=np.float32)
        for code, name in enumerate(words.names):
            if name.lower() not in YES | NO:
                raise DataError(
                    f"{table.name}: column {column!r} holds {name!r}; a multi-label column holds 1 or 0, yes or no"
                )
            values[code] = name.lower() in YES
        columns.append(values[words.codes])
    return Labels("multilabel", np.stack(columns, axis=1), tuple(cells))


def _looks_numeric(words: Categories) -> bool:
    numbers = [parse_number(name) for name in words.names]
    if None in numbers:
        return False
    whole = all(number is not None and number == int(number) for number in numbers)
    return not whole or len(numbers) > MOST_NUMBERED_CLASSES


def _sort_key(name: str) -> tuple[bool, float, str]:
    number = parse_number(name)
    return (number is None, number or 0.0, name)
