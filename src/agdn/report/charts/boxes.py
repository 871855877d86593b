"""Spread of values in groups: the middle half as a box, nine tenths as a line, median and mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agdn.report.charts.axis import Axis, fitted
from agdn.report.charts.frame import axes, chart, x_span, y_span
from agdn.report.markup import Markup, tag
from agdn.report.rounding import short


def boxes(
    title: str, groups: Sequence[str], quantiles: np.ndarray, mean: np.ndarray, *, x_name: str, y_name: str
) -> Markup:
    """``quantiles`` (5, G): 5, 25, 50, 75 and 95 % of each group."""
    start, end = x_span()
    step = (end - start) / len(groups)
    low, high = min(0.0, float(quantiles.min())), float(quantiles.max())
    y = fitted(low, high, *y_span())
    every = -(-len(groups) // 14)
    places = [start + (index + 0.5) * step for index in range(len(groups))]
    ticks = [(place, name) for place, name in zip(places, groups, strict=True)][::every]
    drawn = [
        _box(place, min(step * 0.56, 22), name, quantiles[:, index], float(mean[index]), y)
        for index, (place, name) in enumerate(zip(places, groups, strict=True))
    ]
    told = "; ".join(f"{name}: mean {short(float(value))}" for name, value in zip(groups, mean, strict=True))
    frame = axes(Axis(0, 1, start, end), y, x_name, y_name, x_ticks=ticks)
    return chart(f"{title}. {told}.", frame, tag("g", drawn, class_="s0"))


def _box(x: float, width: float, name: str, quantiles: np.ndarray, mean: float, y: Axis) -> Markup:
    low, lower, median, upper, high = (y.place(float(value)) for value in quantiles)
    tip = f"hop {name}: mean {short(mean)}, median {short(float(quantiles[2]))}, middle half "
    tip += f"{short(float(quantiles[1]))} to {short(float(quantiles[3]))}"
    left, right = x - width / 2, x + width / 2
    return tag(
        "g",
        tag("line", class_="whisker", x1=x, x2=x, y1=low, y2=high),
        tag("rect", class_="box", x=left, y=upper, width=width, height=max(lower - upper, 1)),
        tag("line", class_="median", x1=left, x2=right, y1=median, y2=median),
        tag("circle", class_="mean", cx=x, cy=y.place(mean), r=2.5),
        data_tip=tip,
    )
