"""From values to places along a line, and the round numbers to write beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from agdn.report.rounding import alike

WIDE = 30  # a range this many times its start is told on a logarithmic axis


@dataclass(frozen=True)
class Axis:
    """``low``..``high`` drawn from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        low, high = self._position(self.low), self._position(self.high)
        share = (self._position(value) - low) / (high - low)
        return self.start + share * (self.end - self.start)

    def ticks(self, about: int = 5) -> list[tuple[float, str]]:
        """Round values within the range, each with its place."""
        values = self._powers() if self.logarithmic else round_values(self.low, self.high, about)
        return [(self.place(value), text) for value, text in zip(values, alike(values), strict=True)]

    def _position(self, value: float) -> float:
        return math.log10(value) if self.logarithmic else value

    def _powers(self) -> list[float]:
        exponents = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for steps in ((1, 2, 5), (1, 3), (1,)):
            values = [step * 10.0**exponent for exponent in exponents for step in steps]
            inside = [value for value in values if self.low <= value <= self.high]
            if len(inside) <= 6:
                return inside
        return inside[:: math.ceil(len(inside) / 6)]


def fitted(low: float, high: float, start: float, end: float, *, logarithmic: bool = False) -> Axis:
    """An axis with a little room on both sides; a single value gets room too."""
    if logarithmic and 0 < low < high and high / low > WIDE:
        return Axis(low / 1.1, high * 1.1, start, end, logarithmic=True)
    room = 0.04 * (high - low) or max(abs(low) * 0.05, 1e-6)
    return Axis(low - room, high + room, start, end)


def round_values(low: float, high: float, about: int) -> list[float]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten."""
    rough = (high - low) / max(about, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= 0.75 * rough)
    first = math.ceil(low / step - 1e-9)
    values: list[float] = []
    while (first + len(values)) * step <= high + 1e-9 * step:
        values.append((first + len(values)) * step)
    return values
