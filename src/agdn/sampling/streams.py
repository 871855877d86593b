"""Seeds below a seed, and what is drawn once an epoch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

GOLDEN, MIX1, MIX2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
WORD = 2**64 - 1

Drawn = TypeVar("Drawn")


def derived(seed: int, *path: int) -> int:
    """A seed in 0..2^63 - 1 of its own for every path of numbers below a seed."""
    value = seed
    for step in path:
        value = (value + (step + 1) * GOLDEN) & WORD
        value = ((value ^ (value >> 30)) * MIX1) & WORD
        value = ((value ^ (value >> 27)) * MIX2) & WORD
        value ^= value >> 31
    return value >> 1


class EachEpoch(Generic[Drawn]):
    """A function of the epoch whose last value is kept."""

    def __init__(self, draw: Callable[[int], Drawn]) -> None:
        self._draw = draw
        self._last: tuple[int, Drawn] | None = None

    def __call__(self, epoch: int) -> Drawn:
        last = self._last  # read once: another thread may put its own there
        if last is None or last[0] != epoch:
            last = self._last = (epoch, self._draw(epoch))
        return last[1]
