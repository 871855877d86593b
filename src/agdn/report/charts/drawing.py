"""Charts as a file of their own: side by side, with their titles, a legend, and the colours that they need."""

from __future__ import annotations

from collections.abc import Sequence

from agdn.report.charts.frame import HEIGHT, WIDTH
from agdn.report.markup import Markup, joined, report_file, tag

GAP, TITLE, ENTRY, SWATCH, CHARACTER = 24.0, 22.0, 20.0, 26.0, 6.6
STILL = "svg { overflow: visible; } .title { font-weight: 600; font-size: 13px; } .ground { fill: var(--bg); }"


def drawing(
    said: str,
    panels: Sequence[tuple[str, Markup]],
    legend: Sequence[tuple[str, str]] = (),
    *,
    columns: int = 2,
    size: tuple[float, float] = (WIDTH, HEIGHT),
) -> str:
    """An SVG file of titled charts of one ``size``, ``columns`` in a row; ``legend`` has pairs of style and name.

    A chart is what :func:`agdn.report.charts.frame.chart` makes. ``said`` is what there is to see.
    """
    width, height = size
    columns = min(columns, len(panels))
    whole = columns * width + (columns + 1) * GAP
    lines = _rows(legend, whole - 2 * GAP)
    top = GAP / 2 + ENTRY * len(lines)
    rows = -(-len(panels) // columns)
    tall = top + rows * (height + TITLE + GAP / 2) + GAP / 2
    drawn = [
        _panel(title, chart, GAP + column * (width + GAP), top + row * (height + TITLE + GAP / 2), size)
        for place, (title, chart) in enumerate(panels)
        for row, column in [divmod(place, columns)]
    ]
    return (
        tag(
            "svg",
            tag("title", said),
            tag("style", Markup(report_file("charts.css") + STILL)),
            tag("rect", class_="ground", width=whole, height=tall),
            [
                _entry(style, name, x, GAP / 2 + ENTRY * line)
                for line, row in enumerate(lines)
                for style, name, x in row
            ],
            drawn,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {whole:g} {tall:g}",
            width=whole,
            height=tall,
            role="img",
        )
        + "\n"
    )


def _panel(title: str, chart: Markup, x: float, y: float, size: tuple[float, float]) -> Markup:
    placed = Markup(chart.replace("<svg ", f'<svg x="0" y="{TITLE:g}" width="{size[0]:g}" height="{size[1]:g}" ', 1))
    return tag("g", tag("text", title, class_="title", x=2, y=12), placed, transform=f"translate({x:g} {y:g})")


def _rows(legend: Sequence[tuple[str, str]], width: float) -> list[list[tuple[str, str, float]]]:
    """Entries from left to right, in as many lines as they need."""
    lines: list[list[tuple[str, str, float]]] = []
    x = width + 1
    for style, name in legend:
        needed = SWATCH + 8 + CHARACTER * len(name)
        if x + needed > width:
            lines.append([])
            x = 0.0
        lines[-1].append((style, name, GAP + x))
        x += needed + 16
    return lines


def _entry(style: str, name: str, x: float, y: float) -> Markup:
    line = tag("g", tag("path", d=f"M{x:g} {y + 7:g}h{SWATCH:g}", class_="line"), class_=style)
    return joined(line, tag("text", name, x=x + SWATCH + 6, y=y + 11))
