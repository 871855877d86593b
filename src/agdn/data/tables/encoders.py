"""Fitted on some rows, applied to any: numbers scaled, words one-hot or hashed, ranked guesses weighted.

Each encoder turns one typed column into ``(N, width)`` float32 and can be written as JSON values and arrays.
Text has a file of its own.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from agdn.data.tables.cells import Categories

Rows = np.ndarray | None  # the rows to fit on; None is all of them


@dataclass(frozen=True)
class Scale:
    """Zero mean and unit variance over the fitted rows; a missing value becomes the mean and raises a flag."""

    kind: ClassVar[Literal["numeric", "date"]] = "numeric"
    mean: float
    deviation: float
    flag_missing: bool

    @classmethod
    def fit(cls, values: np.ndarray, rows: Rows) -> Self:
        known = values if rows is None else values[rows]
        known = known[~np.isnan(known)]
        mean = float(known.mean()) if known.size else 0.0
        deviation = float(known.std()) if known.size else 0.0
        if deviation <= 1e-12 * abs(mean) or deviation == 0.0:
            deviation = 1.0
        return cls(mean, deviation, bool(np.isnan(values).any()))

    @property
    def width(self) -> int:
        return 1 + self.flag_missing

    def apply(self, values: np.ndarray) -> np.ndarray:
        missing = np.isnan(values)
        with np.errstate(over="ignore"):
            scaled = ((np.where(missing, self.mean, values) - self.mean) / self.deviation).astype(np.float32)
        limit = np.finfo(np.float32).max
        columns = [np.clip(scaled, -limit, limit)]
        if self.flag_missing:
            columns.append(missing.astype(np.float32))
        return np.stack(columns, axis=1)


@dataclass(frozen=True)
class DateScale(Scale):
    """The same for moments in time."""

    kind = "date"


@dataclass(frozen=True)
class OneHot:
    """One column a category; a category that was not fitted is all zeros, a missing cell raises a flag."""

    kind: ClassVar[Literal["one-hot"]] = "one-hot"
    categories: tuple[str, ...]
    flag_missing: bool

    @classmethod
    def fit(cls, values: Categories, rows: Rows) -> Self:
        codes = values.codes if rows is None else values.codes[rows]
        used = np.unique(codes[codes >= 0])
        return cls(tuple(sorted(values.names[code] for code in used)), bool((values.codes < 0).any()))

    @property
    def width(self) -> int:
        return len(self.categories) + self.flag_missing

    def apply(self, values: Categories) -> np.ndarray:
        places = {name: place for place, name in enumerate(self.categories)}
        hot = np.zeros((len(values.names) + 1, self.width), dtype=np.float32)
        for code, name in enumerate(values.names):
            if (place := places.get(name)) is not None:
                hot[code, place] = 1.0
        if self.flag_missing:
            hot[-1, -1] = 1.0
        return hot.take(values.codes, axis=0, mode="wrap")


@dataclass(frozen=True)
class Hashed:
    """Each category is a sign at one of ``size`` places, chosen by its own bytes: any number of them, also new ones."""

    kind: ClassVar[Literal["hashed"]] = "hashed"
    size: int
    flag_missing: bool

    @classmethod
    def fit(cls, values: Categories, size: int) -> Self:
        return cls(size, bool((values.codes < 0).any()))

    @property
    def width(self) -> int:
        return self.size + self.flag_missing

    def apply(self, values: Categories) -> np.ndarray:
        table = np.zeros((len(values.names) + 1, self.width), dtype=np.float32)
        for code, name in enumerate(values.names):
            digest = int.from_bytes(hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "little")
            table[code, (digest >> 1) % self.size] = 1.0 if digest & 1 else -1.0
        if self.flag_missing:
            table[-1, -1] = 1.0
        return table.take(values.codes, axis=0, mode="wrap")


@dataclass(frozen=True)
class Ranked:
    """Guesses in order of belief, such as ``"24,4,10"``: one column a guess, 1/rank where it stands."""

    kind: ClassVar[Literal["ranked"]] = "ranked"
    guesses: tuple[str, ...]

    @classmethod
    def fit(cls, values: list[str], rows: Rows) -> Self:
        fitted = values if rows is None else [values[row] for row in rows]
        return cls(tuple(sorted({guess for cell in fitted for guess in _split(cell)}, key=_by_number)))

    @property
    def width(self) -> int:
        return len(self.guesses)

    def apply(self, values: list[str]) -> np.ndarray:
        places = {guess: place for place, guess in enumerate(self.guesses)}
        weights = np.zeros((len(values), self.width), dtype=np.float32)
        for row, cell in enumerate(values):
            for rank, guess in enumerate(_split(cell), 1):
                if (place := places.get(guess)) is not None:
                    weights[row, place] = max(weights[row, place], 1.0 / rank)
        return weights


def _split(cell: str) -> list[str]:
    return [guess for part in cell.replace(";", ",").split(",") if (guess := part.strip())]


def _by_number(guess: str) -> tuple[bool, int, str]:
    number = guess.isascii() and guess.isdigit() and len(guess) < 19
    return (not number, int(guess) if number else 0, guess)
