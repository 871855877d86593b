"""Numbers as a page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from agdn.experiments.result import SHARES

MOST_DIGITS = 9


def coordinate(value: float) -> str:
    """A place in a drawing, to a tenth of a pixel."""
    return f"{value:.1f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))


def short(value: float, digits: int = 3) -> str:
    """So many digits that count, and no exponent where it can be done without."""
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        told = f"{value:,.{digits}g}"
        return told if "e" not in told else f"{value:,.0f}"
    return f"{value:.{digits - 1}e}"


def alike(values: Sequence[float]) -> list[str]:
    """Round values beside each other, with as many digits as the longest needs."""
    step = min((abs(after - before) for before, after in pairwise(values)), default=1.0)
    exact = (
        digits
        for digits in range(3, MOST_DIGITS)
        if all(abs(float(f"{value:.{digits}g}") - value) < step / 100 for value in values)
    )
    digits = next(exact, MOST_DIGITS)
    return [short(value, digits) for value in values]


def rounded(value: float) -> float:
    """For a chart's hover: four digits that count."""
    return float(f"{value:.4g}")


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def scale(metric: str) -> float:
    """Shares are told in percent."""
    return 100 if metric in SHARES else 1


def unit(metric: str) -> str:
    """The metric with its unit."""
    return f"{metric} in %" if metric in SHARES else metric
