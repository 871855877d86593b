"""Who trains, who validates, who tests: from a column of words, by chance, by class, or by time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agdn.data.errors import DataError
from agdn.data.tables.cells import Categories
from agdn.data.tables.table_file import Table

PARTS = ("train", "valid", "test")
WORDS = {
    "train": 0, "training": 0,
    "valid": 1, "val": 1, "validation": 1, "dev": 1,
    "test": 2, "testing": 2,
}  # fmt: skip

Parts = tuple[np.ndarray, np.ndarray, np.ndarray]


def by_word(words: Categories, *, table: Table, column: str, first_row: int) -> Parts:
    """Rows by the word in a split column; a missing word leaves the row out."""
    part_of = np.full(len(words.names) + 1, -1)
    for code, name in enumerate(words.names):
        if name.lower() not in WORDS:
            row = first_row + int(np.flatnonzero(words.codes == code)[0])
            raise DataError(f"{table.name}, row {row}, column {column!r}: {name!r} is none of train, valid, test")
        part_of[code] = WORDS[name.lower()]
    parts = part_of[words.codes]
    return (np.flatnonzero(parts == 0), np.flatnonzero(parts == 1), np.flatnonzero(parts == 2))


def by_chance(rows: np.ndarray, fractions: Sequence[float], seed: int) -> Parts:
    """``rows`` shuffled and cut."""
    shuffled = np.random.default_rng(seed).permutation(rows)
    return _sorted(np.split(shuffled, _cuts(len(rows), fractions)))


def by_class(rows: np.ndarray, classes: np.ndarray, fractions: Sequence[float], seed: int) -> Parts:
    """Every class cut in the same proportions; of a class with one row, that row trains."""
    generator = np.random.default_rng(seed)
    parts: list[list[np.ndarray]] = [[], [], []]
    for label in np.unique(classes[rows]):
        members = generator.permutation(rows[classes[rows] == label])
        for part, piece in zip(parts, np.split(members, _cuts(len(members), fractions)), strict=True):
            part.append(piece)
    return _sorted([np.concatenate(part) if part else rows[:0] for part in parts])


def by_time(rows: np.ndarray, times: np.ndarray, fractions: Sequence[float]) -> Parts:
    """The earliest train, the latest test; rows of the same time stay together."""
    if np.isnan(times[rows]).any():
        rows = rows[~np.isnan(times[rows])]
    ordered = rows[np.argsort(times[rows], kind="stable")]
    moments = times[ordered]
    cuts = [
        cut if cut in (0, len(ordered)) else int(np.searchsorted(moments, moments[cut], side="left"))
        for cut in _cuts(len(ordered), fractions)
    ]
    return _sorted(np.split(ordered, cuts))


def require_parts(parts: Parts, origin: str) -> Parts:
    """``parts``, none of them empty."""
    for name, part in zip(PARTS, parts, strict=True):
        if len(part) == 0:
            raise DataError(f"the {name} part of the split is empty ({origin}); every part needs at least one row")
    return parts


def _cuts(count: int, fractions: Sequence[float]) -> list[int]:
    """Where to cut ``count`` rows; the first row of all is a training row."""
    train = max(round(fractions[0] * count), min(count, 1)) if fractions[0] > 0 else 0
    return [train, max(train, round((fractions[0] + fractions[1]) * count))]


def _sorted(parts: Sequence[np.ndarray]) -> Parts:
    return (np.sort(parts[0]), np.sort(parts[1]), np.sort(parts[2]))
