"""Curves over the epochs with the spread over the seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agdn.report.charts.axis import Axis, fitted
from agdn.report.charts.frame import axes, chart, x_span, y_span
from agdn.report.gather.curves import Curve
from agdn.report.markup import Markup, tag
from agdn.report.rounding import coordinate, rounded, short


@dataclass(frozen=True)
class Line:
    """``style`` has the classes of its colour and dashes; ``best`` are the epochs that were kept."""

    name: str
    style: str
    curve: Curve
    best: tuple[int, ...] = ()


@dataclass(frozen=True)
class LineChart:
    """``key`` leads from the drawing to the values that a hover tells."""

    key: str
    title: str
    y_name: str
    lines: Sequence[Line]
    logarithmic: bool = False

    @property
    def x(self) -> Axis:
        start, end = x_span()
        first = min(line.curve.epochs[0] for line in self.lines)
        last = max(line.curve.epochs[-1] for line in self.lines)
        return Axis(first - (first == last), last + (first == last), start, end)

    @property
    def y(self) -> Axis:
        low = min(min(line.curve.low) for line in self.lines)
        high = max(max(line.curve.high) for line in self.lines)
        return fitted(low, high, *y_span(), logarithmic=self.logarithmic)

    def svg(self) -> Markup:
        x, y = self.x, self.y
        y_name = f"{self.y_name}, logarithmic" if y.logarithmic else self.y_name
        drawn = [
            tag(
                "g",
                _band(line.curve, x, y),
                _means(line.curve, x, y),
                [
                    tag("path", d=f"M{coordinate(x.place(epoch))} {coordinate(y.start)}l-4.5 8h9z", class_="best")
                    for epoch in sorted(set(line.best))
                ],
                class_=line.style,
            )
            for line in self.lines
        ]
        cursor = tag("g", tag("line", class_="cursor", y1=y.start, y2=y.end), class_="at", visibility="hidden")
        return chart(self._said(), axes(x, y, "epoch", y_name), drawn, cursor, focusable=True, curves=self.key)

    def data(self) -> dict[str, Any]:
        """What the hover needs: both axes, and the values of every line."""
        x, y = self.x, self.y
        return {
            "x": [x.low, x.high, x.start, x.end],
            "y": [y.low, y.high, y.start, y.end, y.logarithmic],
            "lines": [
                {
                    "name": line.name,
                    "each": line.curve.each,
                    "epochs": line.curve.epochs,
                    "mean": [rounded(value) for value in line.curve.mean],
                    "low": [rounded(value) for value in line.curve.low],
                    "high": [rounded(value) for value in line.curve.high],
                    "seeds": line.curve.seeds,
                }
                for line in self.lines
            ],
        }

    def _said(self) -> str:
        told = [
            f"{line.name}: {short(line.curve.mean[0])} at epoch {line.curve.epochs[0]}, "
            f"{short(line.curve.mean[-1])} at epoch {line.curve.epochs[-1]}"
            for line in self.lines
        ]
        return f"{self.title}. {'; '.join(told)}. Arrow keys read the values."


def _means(curve: Curve, x: Axis, y: Axis) -> list[Markup]:
    """Pale from where a seed has ended: what changes there may be the choice of seeds."""
    whole = sum(count == max(curve.seeds) for count in curve.seeds)
    parts = (("line", slice(0, whole)), ("line few", slice(max(whole - 1, 0), None)))
    return [
        tag("path", d=_path(curve.epochs[part], curve.mean[part], x, y), class_=name)
        for name, part in parts
        if name == "line" or whole < len(curve.epochs)
    ]


def _path(epochs: Sequence[int], values: Sequence[float], x: Axis, y: Axis) -> str:
    points = [
        f"{coordinate(x.place(epoch))} {coordinate(y.place(value))}"
        for epoch, value in zip(epochs, values, strict=True)
    ]
    if len(points) == 1:
        points *= 2  # a line of no length is drawn as a dot by its round ends
    return "M" + "L".join(points)


def _band(curve: Curve, x: Axis, y: Axis) -> Markup | None:
    if curve.low == curve.high:
        return None
    there = _path(curve.epochs, curve.high, x, y)
    back = _path(curve.epochs[::-1], curve.low[::-1], x, y)
    return tag("path", d=f"{there}L{back[1:]}Z", class_="band")
