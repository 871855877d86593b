"""Checks of numbers that users give, shared by everything that draws at random."""

from __future__ import annotations


def check_seed(seed: int) -> None:
    if not 0 <= seed < 2**63:
        raise ValueError(f"seed must be a whole number from 0 to 2^63 - 1, got {seed}")


def check_counts(**counts: int) -> None:
    """Each by its name, at least 1."""
    for name, count in counts.items():
        if count < 1:
            raise ValueError(f"{name} must be at least 1, got {count}")


def check_positive(**numbers: float) -> None:
    """Each by its name, above 0."""
    for name, number in numbers.items():
        if not number > 0:
            raise ValueError(f"{name} must be a number above 0, got {number}")
