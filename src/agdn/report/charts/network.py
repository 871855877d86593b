"""A piece of a graph, coloured by what is predicted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agdn.report.charts.matrix import SHADES
from agdn.report.gather.views import View, ViewNode, Views
from agdn.report.markup import Markup, tag
from agdn.report.rounding import coordinate, short

SIDE, MARGIN = 400.0, 16.0
COLOURS = 8
NAMED_FROM = 7.0  # radius from which a node carries its class


@dataclass(frozen=True)
class Colouring:
    """``styles``: the class of CSS and the name of what it stands for, in the order of the legend."""

    styles: Sequence[tuple[str, str]]
    of_value: Mapping[float, str]
    range: tuple[float, float] | None = None

    def style(self, node: ViewNode) -> str:
        if self.range is None:
            return self.of_value.get(node.colour, "other")
        low, high = self.range
        return f"q{min(int(SHADES * (node.colour - low) / max(high - low, 1e-9)), SHADES - 1)}"


def colouring(recipes: Sequence[Views]) -> Colouring:
    """A colour for each of the most frequent classes, or a shade for a number; the same for recipes that share them."""
    shown = recipes[0]
    values = [node.colour for views in recipes for view in views.views for node in view.nodes]
    if shown.target == "class":
        frequent = sorted(value for value, _ in Counter(values).most_common(COLOURS))
        styles = [(f"s{place}", shown.names[int(value)]) for place, value in enumerate(frequent)]
        others = len(set(values)) - len(frequent)
        named = [*styles, *([("other", f"{others} other classes")] if others else [])]
        return Colouring(named, {value: style for value, (style, _) in zip(frequent, styles, strict=True)})
    low, high = (0.0, 1.0) if shown.target == "multilabel" else (min(values), max(values))
    steps = np.linspace(low, high, SHADES + 1)
    legend = [(f"q{step}", f"from {short(float(steps[step]))}") for step in range(0, SHADES, 2)]
    return Colouring(legend, {}, (low, high))


def network(key: str, view: View, colours: Colouring) -> Markup:
    """Nodes are buttons; what they tell stands in ``network_data``."""
    places = _pixels(view.places)
    radius = _radius(len(view.nodes))
    lines = "".join(_line(places[source], places[target]) for source, target in _undirected(view.edges))
    nodes = [_node(index, node, places[index], radius, view, colours) for index, node in enumerate(view.nodes)]
    return tag(
        "svg",
        tag("path", class_="edges", d=lines),
        tag("g", class_="lit"),
        tag("g", nodes, class_="nodes"),
        class_="network",
        viewBox=f"0 0 {SIDE:g} {SIDE * _height(view.places):g}",
        role="group",
        aria_label=f"{view.title}: {len(view.nodes)} nodes, {len(view.edges)} edges. Arrow keys go from node to node.",
        data_network=key,
    )


def network_data(view: View, hops: Sequence[Sequence[int]]) -> dict[str, Any]:
    return {
        "places": [[round(float(value), 1) for value in place] for place in _pixels(view.places)],
        "edges": view.edges.tolist(),
        "hops": [list(numbers) for numbers in hops],
        "nodes": [
            {
                "name": node.name,
                "predicted": node.predicted,
                "true": node.true,
                "sure": None if node.sure is None else round(node.sure, 4),
                "part": node.part,
                "degree": node.degree,
                "hops": [[round(weight, 3) for weight in layer] for layer in node.hops],
            }
            for node in view.nodes
        ],
    }


def _node(index: int, node: ViewNode, place: np.ndarray, radius: float, view: View, colours: Colouring) -> Markup:
    style = colours.style(node)
    wrong = " wrong" if node.right is False else ""
    centre = " centre" if view.centre == index else ""
    carries = radius >= NAMED_FROM and colours.range is None
    said = "" if node.right is None else ", right" if node.right else f", but it is {node.true}"
    return tag(
        "g",
        tag("circle", r=radius),
        tag("text", node.predicted[:2], y=3.5) if carries else None,
        class_=f"node {style}{wrong}{centre}",
        transform=f"translate({coordinate(float(place[0]))} {coordinate(float(place[1]))})",
        role="button",
        tabindex="0" if index == (view.centre or 0) else "-1",
        aria_label=f"node {node.name}: {node.predicted}{said}",
        data_node=str(index),
    )


def _pixels(places: np.ndarray) -> np.ndarray:
    scaled: np.ndarray = MARGIN + places * (SIDE - 2 * MARGIN)
    return scaled


def _height(places: np.ndarray) -> float:
    """Of the drawing, as a share of its width."""
    deep = float(places[:, 1].max()) if len(places) else 0.0
    return (deep * (SIDE - 2 * MARGIN) + 2 * MARGIN) / SIDE


def _radius(nodes: int) -> float:
    return min(10.0, max(3.5, 75 / math.sqrt(max(nodes, 1))))


def _undirected(edges: np.ndarray) -> np.ndarray:
    """Each pair once."""
    return np.unique(np.sort(edges, axis=1), axis=0) if len(edges) else edges


def _line(first: np.ndarray, second: np.ndarray) -> str:
    (x1, y1), (x2, y2) = ([coordinate(float(value)) for value in end] for end in (first, second))
    return f"M{x1} {y1}L{x2} {y2}"
