"""What charts with two axes share: size, grid, numbers and names of the axes."""

from __future__ import annotations

from agdn.report.charts.axis import Axis
from agdn.report.markup import Child, Markup, tag

WIDTH, HEIGHT = 360.0, 230.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 10.0, 20.0, 38.0


def x_span() -> tuple[float, float]:
    return LEFT, WIDTH - RIGHT


def y_span(height: float = HEIGHT) -> tuple[float, float]:
    """From the bottom up."""
    return height - BOTTOM, TOP


def chart(
    label: str, *children: Child, height: float = HEIGHT, width: float = WIDTH, focusable: bool = False, **data: str
) -> Markup:
    """An SVG with an accessible name."""
    attributes = {f"data_{key}": value for key, value in data.items()}
    return tag(
        "svg",
        *children,
        class_="chart",
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        aria_label=label,
        tabindex="0" if focusable else None,
        **attributes,
    )


def axes(x: Axis, y: Axis, x_name: str, y_name: str, *, x_ticks: list[tuple[float, str]] | None = None) -> Markup:
    """Grid lines at round values, their numbers, and the names of both axes."""
    across = [
        [
            tag("line", class_="grid", x1=x.start, x2=x.end, y1=place, y2=place),
            tag("text", text, class_="tick", x=x.start - 6, y=place + 4, text_anchor="end"),
        ]
        for place, text in y.ticks()
    ]
    below = [
        [
            tag("line", class_="mark", x1=place, x2=place, y1=y.start, y2=y.start + 4),
            tag("text", text, class_="tick", x=place, y=y.start + 16, text_anchor="middle"),
        ]
        for place, text in (x.ticks() if x_ticks is None else x_ticks)
    ]
    return tag(
        "g",
        across,
        tag("line", class_="mark", x1=x.start, x2=x.end, y1=y.start, y2=y.start),
        below,
        tag("text", x_name, class_="name", x=x.end, y=y.start + 32, text_anchor="end"),
        tag("text", y_name, class_="name", x=2, y=11),
    )
