"""Scores of every seed on one axis, a row a recipe, with the published figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agdn.report.charts.axis import Axis, fitted
from agdn.report.charts.frame import BOTTOM, chart
from agdn.report.gather.reproduce import seeds_text
from agdn.report.markup import Markup, tag
from agdn.report.rounding import coordinate, short

WIDTH, ROW, TOP, SIDE = 400.0, 40.0, 6.0, 10.0


@dataclass(frozen=True)
class StripRow:
    """``seeds`` and ``scores`` go together; ``published`` is a figure and its deviation."""

    name: str
    style: str
    seeds: Sequence[int]
    scores: Sequence[float]
    mean: float
    std: float | None
    published: tuple[float, float | None] | None = None


def strip(
    title: str, name: str, rows: Sequence[StripRow], *, highest: float | None = None, even: float | None = None
) -> Markup:
    """``highest``: what no score can go beyond. ``even``: a line where neither of two that are compared is ahead."""
    height = TOP + ROW * len(rows) + BOTTOM
    reached = [score for row in rows for score in row.scores]
    reached += [row.mean + sign * (row.std or 0) for row in rows for sign in (-1, 1)]
    reached += [row.published[0] for row in rows if row.published]
    reached += [] if even is None else [even]
    x = fitted(min(reached), max(reached), SIDE, WIDTH - SIDE)
    if highest is not None and max(reached) <= highest:
        x = replace(x, high=min(x.high, highest + 0.02 * (x.high - x.low)))
    bottom = height - BOTTOM
    grid = [
        [
            tag("line", class_="grid", x1=place, x2=place, y1=TOP, y2=bottom),
            tag("text", text, class_="tick", x=place, y=bottom + 16, text_anchor="middle"),
        ]
        for place, text in x.ticks()
    ]
    if even is not None:
        grid.append([tag("line", class_="mark", x1=x.place(even), x2=x.place(even), y1=TOP, y2=bottom)])
    drawn = []
    for index, row in enumerate(rows):
        middle = TOP + ROW * index + 28
        spread = row.std or 0
        drawn.append(
            tag(
                "g",
                tag("text", row.name, class_="row", x=SIDE, y=middle - 14),
                tag("line", class_="axis", x1=SIDE, x2=WIDTH - SIDE, y1=middle, y2=middle),
                tag(
                    "line",
                    class_="spread",
                    x1=x.place(row.mean - spread),
                    x2=x.place(row.mean + spread),
                    y1=middle,
                    y2=middle,
                ),
                [tag("circle", class_="dot", cx=place, cy=middle, r=4.5, data_tip=tip) for place, tip in _dots(row, x)],
                tag("line", class_="mean", x1=x.place(row.mean), x2=x.place(row.mean), y1=middle - 9, y2=middle + 9),
                _published(row, x.place(row.published[0]), middle) if row.published else None,
                class_=row.style,
            )
        )
    told = [f"{row.name}: mean {short(row.mean)}" for row in rows]
    label = f"{title}. {'; '.join(told)}."
    caption = tag("text", name, class_="name", x=WIDTH - SIDE, y=bottom + 32, text_anchor="end")
    return chart(label, grid, drawn, caption, width=WIDTH, height=height)


def _dots(row: StripRow, x: Axis) -> list[tuple[float, str]]:
    """Place and text of every dot; seeds of one score share a dot."""
    scores = list(dict.fromkeys(row.scores))
    alike = [[seed for seed, own in zip(row.seeds, row.scores, strict=True) if own == score] for score in scores]
    return [
        (x.place(score), f"seed{'s' * (len(seeds) > 1)} {seeds_text(seeds)}: {score:.4g}")
        for score, seeds in zip(scores, alike, strict=True)
    ]


def _published(row: StripRow, place: float, middle: float) -> Markup:
    assert row.published is not None, "asked for a row that has a published figure"
    figure, deviation = row.published
    tip = f"published: {figure:g}" + ("" if deviation is None else f" ± {deviation:g}")
    corners = f"M{coordinate(place)} {coordinate(middle - 8)}l7 8l-7 8l-7 -8z"
    return tag("path", class_="published", d=corners, data_tip=tip)
