"""Points: one number beside another, and values of many tasks in order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agdn.report.charts.axis import Axis, fitted
from agdn.report.charts.frame import HEIGHT, axes, chart, x_span, y_span
from agdn.report.markup import Markup, tag
from agdn.report.rounding import coordinate

TALL = HEIGHT + 60


def scatter(title: str, true: np.ndarray, predicted: np.ndarray, *, style: str) -> Markup:
    """Predicted numbers over true ones; on the diagonal they agree."""
    low, high = (float(pick([pick(true), pick(predicted)])) for pick in (np.min, np.max))
    x, y = fitted(low, high, *x_span()), fitted(low, high, *y_span(TALL))
    dots = "".join(
        f"M{coordinate(x.place(float(t)))} {coordinate(y.place(float(p)))}h0"
        for t, p in zip(true, predicted, strict=True)
    )
    diagonal = tag("line", class_="diagonal", x1=x.start, x2=x.end, y1=y.start, y2=y.end)
    points = tag("g", tag("path", class_="points", d=dots), class_=style)
    return chart(title, axes(x, y, "true", "predicted"), diagonal, points, height=TALL)


def ranked(title: str, names: Sequence[str], values: np.ndarray, *, y_name: str, style: str) -> Markup:
    """``values`` (seeds, T): the mean of each task as a dot with its range, the highest first."""
    mean, low, high = values.mean(0), values.min(0), values.max(0)
    order = np.argsort(-mean, kind="stable")
    start, end = x_span()
    y = fitted(float(low.min()), float(high.max()), *y_span())
    step = (end - start) / len(order)
    drawn = []
    for rank, task in enumerate(order):
        place = start + (rank + 0.5) * step
        top, bottom = (y.place(float(bound[task])) for bound in (high, low))
        tip = f"{names[task]}: {mean[task]:.2f}"
        tip += f" ({low[task]:.2f} to {high[task]:.2f})" if len(values) > 1 else ""
        drawn += [
            tag("line", class_="whisker", x1=place, x2=place, y1=bottom, y2=top),
            tag(
                "circle",
                class_="dot",
                cx=place,
                cy=y.place(float(mean[task])),
                r=min(4, max(1.5, step / 2)),
                data_tip=tip,
            ),
        ]
    frame = axes(Axis(0, 1, start, end), y, "tasks, the best first", y_name, x_ticks=[])
    return chart(title, frame, tag("g", drawn, class_=style))
