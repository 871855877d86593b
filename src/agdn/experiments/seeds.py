"""Which seeds: ``0-9``, ``0,3,5`` or a number of them."""

from __future__ import annotations

from collections.abc import Sequence

MOST_SEEDS = 10_000


def parse_seeds(text: str) -> tuple[int, ...]:
    """``0-2,7`` -> (0, 1, 2, 7)."""
    seeds: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ValueError(f"--seeds {text!r} is not a list of seeds such as 0-9 or 0,3,5")
        low, high = int(first), int(last or first)
        if high < low or high - low >= MOST_SEEDS:
            raise ValueError(f"--seeds {text!r} runs from {low} to {high}; give a rising range such as 0-9")
        seeds.extend(range(low, high + 1))
    return tuple(dict.fromkeys(seeds))


def chosen_seeds(seeds: int | Sequence[int]) -> tuple[int, ...]:
    """So many seeds from 0, or the seeds given."""
    if isinstance(seeds, int):
        if seeds < 1:
            raise ValueError(f"seeds must be at least 1 (a number of seeds) or a list of them, got {seeds}")
        return tuple(range(seeds))
    given = tuple(dict.fromkeys(seeds))
    if not given or not all(isinstance(seed, int) and 0 <= seed < 2**32 for seed in given):
        raise ValueError(f"seeds must be whole numbers from 0, got {list(seeds)!r}")
    return given
