"""A part of the page, and the pieces that such parts are made of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agdn.report.markup import Child, Markup, tag

STYLES = 8
NUMBER = re.compile(r"[-+]?\d[\d.,]*(e[-+]?\d+)?( |$)")


@dataclass(frozen=True)
class Section:
    """``data`` is what the page's script needs, by kind and key."""

    key: str
    title: str
    body: Markup
    data: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def style_of(index: int) -> str:
    """Colour and dashes of the recipe with this place in the report, as classes of CSS; no two of 64 share both."""
    return f"s{index % STYLES} d{(index + index // STYLES) % STYLES}"


def figure(title: str, svg: Markup, *notes: Child) -> Markup:
    return tag("figure", tag("figcaption", title), svg, [tag("p", note, class_="note") for note in notes if note])


def figures(*content: Child) -> Markup:
    """Side by side where there is room."""
    return tag("div", *content, class_="figures")


def table(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    """The first column names the rows, numbers stand to the right; it scrolls by itself where it is too wide."""
    sides = ["number" if _are_numbers([row[column] for row in rows]) else None for column in range(len(header))]
    head = tag("tr", [tag("th", name, scope="col", class_=side) for name, side in zip(header, sides, strict=True)])
    body = [
        tag(
            "tr",
            tag("th", row[0], scope="row", class_=sides[0]),
            [tag("td", cell, class_=side) for cell, side in zip(row[1:], sides[1:], strict=True)],
        )
        for row in rows
    ]
    whole = tag("table", tag("caption", tag("span", caption)), tag("thead", head), tag("tbody", body))
    return tag("div", whole, class_="scroll", role="region", aria_label=caption, tabindex="0")


def legend(entries: Sequence[tuple[str, str]]) -> Markup:
    """Pairs of a CSS class and a name."""
    return tag(
        "ul",
        [tag("li", tag("span", class_=f"swatch {style}", aria_hidden="true"), name) for style, name in entries],
        class_="legend",
    )


def tabs(key: str, name: str, panels: Sequence[tuple[str, Markup]]) -> Markup:
    """One panel at a time on a screen, all of them on paper and where no script runs."""
    if len(panels) == 1:
        return panels[0][1]
    buttons = [
        tag("button", label, type="button", role="tab", id=f"tab-{key}-{index}", aria_controls=f"panel-{key}-{index}")
        for index, (label, _) in enumerate(panels)
    ]
    bodies = [
        tag(
            "div",
            tag("h3", label),
            body,
            role="tabpanel",
            id=f"panel-{key}-{index}",
            aria_labelledby=f"tab-{key}-{index}",
            tabindex="0",
        )
        for index, (label, body) in enumerate(panels)
    ]
    return tag("div", tag("div", buttons, role="tablist", aria_label=name), bodies, class_="tabs")


def details(summary: str, *content: Child) -> Markup:
    return tag("details", tag("summary", summary), *content)


def paragraph(*content: Child) -> Markup:
    return tag("p", *content)


def _are_numbers(cells: Sequence[str]) -> bool:
    return all(NUMBER.match(cell) for cell in cells if cell) and any(cells)
