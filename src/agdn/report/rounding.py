"""Numbers as a page shows them."""

from __future__ import annotations

from agdn.experiments.result import SHARES


def coordinate(value: float) -> str:
    """A place in a drawing, to a tenth of a pixel."""
    return f"{value:.1f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))


def short(value: float) -> str:
    """Three digits that count, and no exponent where it can be done without."""
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        digits = f"{value:.3g}"
        return digits if "e" not in digits else f"{value:,.0f}"
    return f"{value:.2e}"


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
