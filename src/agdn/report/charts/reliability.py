"""Confidence beside the share that was right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agdn.report.charts.axis import Axis
from agdn.report.charts.frame import HEIGHT, axes, chart, x_span, y_span
from agdn.report.gather.calibration import BINS, Calibration
from agdn.report.markup import Markup, tag
from agdn.report.rounding import coordinate, percent

TALL = HEIGHT + 60
LARGEST = 6.0


def reliability(title: str, lines: Sequence[tuple[str, str, Calibration]]) -> Markup:
    """A dot a bin, as large as the bin is full; on the diagonal a model is as right as it says."""
    x, y = Axis(0, 100, *x_span()), Axis(0, 100, *y_span(TALL))
    of_yes = lines[0][2].of_yes
    names = ("probability of yes in %", "yes in %") if of_yes else ("confidence in %", "right in %")
    diagonal = tag("line", class_="diagonal", x1=x.start, x2=x.end, y1=y.start, y2=y.end)
    drawn = [tag("g", _dots(name, judged, x, y), class_=style) for name, style, judged in lines]
    told = "; ".join(f"{name}: calibration error {percent(float(np.mean(judged.errors)))}" for name, _, judged in lines)
    return chart(f"{title}. {told}.", axes(x, y, *names), diagonal, drawn, height=TALL)


def _dots(name: str, judged: Calibration, x: Axis, y: Axis) -> list[Markup]:
    full = np.flatnonzero(judged.counts)
    confidence, right = (sums[full] / judged.counts[full] for sums in (judged.confidence, judged.right))
    places = [(x.place(100 * c), y.place(100 * r)) for c, r in zip(confidence, right, strict=True)]
    path = "M" + "L".join(f"{coordinate(left)} {coordinate(top)}" for left, top in places)
    share = judged.counts[full] / judged.counts.sum()
    word = "yes" if judged.of_yes else "right"
    dots = []
    for index, (left, top) in enumerate(places):
        span = f"{100 * full[index] / BINS:.0f}\N{EN DASH}{100 * (full[index] + 1) / BINS:.0f} %"
        tip = f"{name}, {span}: {judged.counts[full[index]]:,} answers, {percent(float(right[index]))} {word}"
        radius = 2 + (LARGEST - 2) * float(share[index]) ** 0.5
        dots.append(tag("circle", class_="dot", cx=left, cy=top, r=radius, data_tip=tip))
    return [tag("path", class_="line", d=path), *dots]
