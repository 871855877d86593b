"""Lines with the spread over the seeds: over the epochs, or along something else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from agdn.report.charts.axis import Axis, fitted
from agdn.report.charts.frame import axes, chart, x_span, y_span
from agdn.report.gather.curves import Curve
from agdn.report.markup import Markup, tag
from agdn.report.rounding import coordinate, rounded, short

CHARACTER = 6.4  # width of one, with some room
FAR = 0.6  # of the width; what is written to the right of a place beyond would not fit


@dataclass(frozen=True)
class Line:
    """``style`` has the classes of its colour and dashes; ``best`` are the epochs that were kept.

    Attributes:
        filled: Shade what lies between the line and zero.
    """

    name: str
    style: str
    curve: Curve
    best: tuple[int, ...] = ()
    filled: bool = False


@dataclass(frozen=True)
class Along:
    """What lines run along.

    Attributes:
        names: Of the places 0, 1, ...; without them places are told by their number.
        mark: A place and what is to be said about it.
    """

    name: str
    logarithmic: bool = False
    names: Sequence[str] = ()
    mark: tuple[float, str] | None = None

    def axis(self, first: float, last: float) -> Axis:
        if self.names:
            return Axis(-0.5, len(self.names) - 0.5, *x_span())
        if first == last:
            first, last = (first / 2, last * 2) if self.logarithmic else (first - 1, last + 1)
        return Axis(first, last, *x_span(), logarithmic=self.logarithmic)

    def ticks(self, x: Axis) -> list[tuple[float, str]] | None:
        """Named places, as many as have room for their names; None lets the axis choose."""
        if not self.names:
            return None
        room = (x.end - x.start) / len(self.names)
        every = math.ceil(max(map(len, self.names)) * CHARACTER / room)
        return [(x.place(place), name) for place, name in enumerate(self.names) if place % every == 0]

    def told(self, place: float) -> str:
        return f"{self.name} {self.names[int(place)] if self.names else f'{rounded(place):g}'}"


EPOCHS = Along("epoch")


@dataclass(frozen=True)
class LineChart:
    """``key`` leads from the drawing to the values that a hover tells.

    Attributes:
        said: What there is to see, for those who do not; by default where lines begin and where they end.
    """

    key: str
    title: str
    y_name: str
    lines: Sequence[Line]
    logarithmic: bool = False
    along: Along = EPOCHS
    said: str | None = None

    @property
    def x(self) -> Axis:
        curves = [line.curve for line in self.lines]
        return self.along.axis(min(curve.x[0] for curve in curves), max(curve.x[-1] for curve in curves))

    @property
    def y(self) -> Axis:
        low = min(min(line.curve.low) for line in self.lines)
        high = max(max(line.curve.high) for line in self.lines)
        return fitted(low, high, *y_span(), logarithmic=self.logarithmic)

    def svg(self, *, still: bool = False) -> Markup:
        """``still``: for a picture that answers neither pointer nor keys."""
        x, y = self.x, self.y
        y_name = f"{self.y_name}, logarithmic" if y.logarithmic else self.y_name
        x_name = f"{self.along.name}, logarithmic" if x.logarithmic else self.along.name
        drawn = [
            tag(
                "g",
                _area(line.curve, x, y) if line.filled else _band(line.curve, x, y),
                _means(line.curve, x, y),
                [
                    tag("path", d=f"M{coordinate(x.place(epoch))} {coordinate(y.start)}l-4.5 8h9z", class_="best")
                    for epoch in sorted(set(line.best))
                ],
                class_=line.style,
            )
            for line in self.lines
        ]
        mark = None if self.along.mark is None else _mark(*self.along.mark, x, y)
        cursor = tag("g", tag("line", class_="cursor", y1=y.start, y2=y.end), class_="at", visibility="hidden")
        frame = axes(x, y, x_name, y_name, x_ticks=self.along.ticks(x))
        if still:
            return chart(self._seen(), frame, drawn, mark)
        return chart(
            f"{self._seen()} Arrow keys read the values.", frame, drawn, mark, cursor, focusable=True, curves=self.key
        )

    def data(self) -> dict[str, Any]:
        """What the hover needs: both axes, and the values of every line."""
        x, y = self.x, self.y
        return {
            "along": self.along.name,
            "exact": self.along is not EPOCHS,
            "names": list(self.along.names),
            "x": [x.low, x.high, x.start, x.end, x.logarithmic],
            "y": [y.low, y.high, y.start, y.end, y.logarithmic],
            "lines": [
                {
                    "name": line.name,
                    "each": line.curve.each,
                    "x": [rounded(value) if isinstance(value, float) else value for value in line.curve.x],
                    "mean": [rounded(value) for value in line.curve.mean],
                    "low": [rounded(value) for value in line.curve.low],
                    "high": [rounded(value) for value in line.curve.high],
                    "seeds": line.curve.seeds,
                }
                for line in self.lines
            ],
        }

    def _seen(self) -> str:
        return f"{self.title}. {self.said or self._ends()}."

    def _ends(self) -> str:
        told = [
            f"{line.name}: {short(line.curve.mean[0])} at {self.along.told(line.curve.x[0])}, "
            f"{short(line.curve.mean[-1])} at {self.along.told(line.curve.x[-1])}"
            for line in self.lines
        ]
        return "; ".join(told)


def _means(curve: Curve, x: Axis, y: Axis) -> list[Markup]:
    """Pale from where a seed has ended: what changes there may be the choice of seeds."""
    whole = sum(count == max(curve.seeds) for count in curve.seeds)
    parts = (("line", slice(0, whole)), ("line few", slice(max(whole - 1, 0), None)))
    return [
        tag("path", d=_path(curve.x[part], curve.mean[part], x, y), class_=name)
        for name, part in parts
        if name == "line" or whole < len(curve.x)
    ]


def _path(places: Sequence[float], values: Sequence[float], x: Axis, y: Axis) -> str:
    points = [
        f"{coordinate(x.place(place))} {coordinate(y.place(value))}"
        for place, value in zip(places, values, strict=True)
    ]
    if len(points) == 1:
        points *= 2  # a line of no length is drawn as a dot by its round ends
    return "M" + "L".join(points)


def _band(curve: Curve, x: Axis, y: Axis) -> Markup | None:
    if curve.low == curve.high:
        return None
    there = _path(curve.x, curve.high, x, y)
    back = _path(curve.x[::-1], curve.low[::-1], x, y)
    return tag("path", d=f"{there}L{back[1:]}Z", class_="band")


def _area(curve: Curve, x: Axis, y: Axis) -> Markup | None:
    return _band(replace(curve, low=tuple(0.0 for _ in curve.mean), high=curve.mean), x, y)


def _mark(value: float, text: str, x: Axis, y: Axis) -> Markup:
    place = x.place(value)
    far = place > x.start + FAR * (x.end - x.start)
    return tag(
        "g",
        tag("line", class_="diagonal", x1=place, x2=place, y1=y.start, y2=y.end),
        tag("text", text, class_="tick", x=place + (-5 if far else 5), y=y.end + 9, text_anchor="end" if far else None),
    )
