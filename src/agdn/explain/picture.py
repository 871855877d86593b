"""Who carried a prediction, drawn: the explained node to the right, the others to its left by their distance.

A line is as wide as what an edge carried, a dot as large as what a node's own features gave; colour tells for from
against.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from agdn.explain.explanation import NodeExplanation
from agdn.graph import Graph
from agdn.report.charts.frame import chart
from agdn.report.markup import Markup, tag
from agdn.report.rounding import coordinate

WIDTH, ROW, SIDE, TOP, BOTTOM = 720.0, 46.0, 44.0, 18.0, 34.0
WIDEST, LARGEST, SMALLEST = 7.0, 12.0, 3.0
MOST_EDGES = 120
NAME = 12  # characters of an id
STYLES = {True: "s0", False: "s1"}
LEGEND = [("s0", "for the answer"), ("s1", "against it")]


@dataclass(frozen=True)
class Drawn:
    """Nodes with their places."""

    rows: list[int]
    places: dict[int, tuple[float, float]]
    height: float


def picture(explained: NodeExplanation, graph: Graph, names: dict[int, str]) -> Markup:
    """``names`` are the ids of nodes that may be drawn, by row: see :func:`drawn_rows`."""
    found = explained.attribution
    drawn = _placed(sorted(names), found.distance, found.handed(graph), explained.question.node)
    total = found.total
    lines = [
        _line(drawn.places[j], drawn.places[m], share, strongest, f"{names[j]} → {names[m]}: {_signed(share)}")
        for j, m, share, strongest in _edges(drawn.rows, graph, None if found.flow is None else found.flow / total)
    ]
    source = found.source / total
    largest = max(float(source[drawn.rows].abs().max()), 1e-9)
    handed = found.handed(graph) / total
    dots = [
        _dot(
            row,
            drawn.places[row],
            names[row],
            float(source[row]),
            None if found.flow is None or row == explained.question.node else float(handed[row]),
            largest,
            centre=row == explained.question.node,
        )
        for row in drawn.rows
    ]
    columns = sorted({(place[0], int(found.distance[row])) for row, place in drawn.places.items()})
    ticks = [
        tag("text", str(distance), class_="tick", x=x, y=drawn.height - 18, text_anchor="middle")
        for x, distance in columns
    ]
    name = tag("text", "steps away", class_="name", x=WIDTH - 4, y=drawn.height - 4, text_anchor="end")
    said = f"What carried the prediction for node {explained.id}: {len(dots)} nodes, {len(lines)} edges."
    return chart(said, lines, dots, ticks, name, width=WIDTH, height=drawn.height)


def drawn_rows(explained: NodeExplanation, graph: Graph) -> list[int]:
    """The listed nodes, and those on the strongest way from each of them to the explained node."""
    rows = dict.fromkeys(part.row for part in explained.parts)
    found = explained.attribution
    if found.flow is None:
        return list(rows)
    for part in explained.parts[1:]:
        row = part.row
        while row != explained.question.node:
            onward = _onward(row, graph, found.flow, found.distance)
            if onward is None:
                break
            row = onward
            if row in rows:
                break
            rows[row] = None
    return list(rows)


def _onward(row: int, graph: Graph, flow: Tensor, distance: Tensor) -> int | None:
    """Where most of what the node handed on went, one step nearer."""
    by_source = graph.transposed
    span = slice(int(by_source.indptr[row]), int(by_source.indptr[row + 1]))
    targets = by_source.indices[span].long()
    places = graph.order[by_source.order[span].long()].long()
    nearer = (distance[targets] >= 0) & (distance[targets] < distance[row])
    if not bool(nearer.any()):
        return None
    return int(targets[nearer][flow[places[nearer]].abs().argmax()])


def _placed(rows: list[int], distance: Tensor, handed: Tensor, centre: int) -> Drawn:
    steps = sorted({int(distance[row]) for row in rows})
    columns = {step: [row for row in rows if int(distance[row]) == step] for step in steps}
    tallest = max(map(len, columns.values()))
    height = TOP + BOTTOM + ROW * max(tallest, 3)
    apart = (WIDTH - 2 * SIDE) / max(len(steps) - 1, 1)
    places: dict[int, tuple[float, float]] = {}
    for place, step in enumerate(steps):
        column = sorted(columns[step], key=lambda row: -abs(float(handed[row])))
        room = (height - TOP - BOTTOM) / (len(column) | 1)  # an odd number of places, so that there is a middle
        for index, row in enumerate(_from_the_middle(column), (len(column) + 1) % 2):
            places[row] = (WIDTH - SIDE - place * apart, TOP + (index + 0.5) * room)
    return Drawn([row for row in rows if row != centre] + [centre], places, height)


def _from_the_middle(ordered: list[int]) -> list[int]:
    """The first in the middle, the others above and below it in turn."""
    return [*reversed(ordered[1::2]), *ordered[0::2]]


def _edges(rows: list[int], graph: Graph, shares: Tensor | None) -> list[tuple[int, int, float, float]]:
    """Source, target, share and the largest of all shares, the narrowest first; without shares all are alike."""
    shown = torch.zeros(graph.num_nodes, dtype=torch.bool)
    shown[rows] = True
    sources, targets = graph.edge_index
    places = (shown[sources] & shown[targets] & (sources != targets)).nonzero().squeeze(1)
    if shares is None:
        return [(j, m, 0.0, 1.0) for j, m in graph.edge_index[:, places[:MOST_EDGES]].t().tolist()]
    places = places[shares[places].abs().argsort(descending=True, stable=True)][:MOST_EDGES].flip(0)
    strongest = max(float(shares[places].abs().max()), 1e-9) if len(places) else 1.0
    ends = graph.edge_index[:, places].t().tolist()
    return [(j, m, float(shares[e]), strongest) for (j, m), e in zip(ends, places.tolist(), strict=True)]


def _line(start: tuple[float, float], end: tuple[float, float], share: float, strongest: float, tip: str) -> Markup:
    bow = 14.0 if start[0] == end[0] else 0.0  # edges within a column
    middle = ((start[0] + end[0]) / 2 - bow, (start[1] + end[1]) / 2)
    points = [coordinate(value) for value in (*start, *middle, *end)]
    return tag(
        "g",
        tag(
            "path",
            class_="flow",
            d=f"M{points[0]} {points[1]}Q{points[2]} {points[3]} {points[4]} {points[5]}",
            stroke_width=max(WIDEST * abs(share) / strongest, 0.5),
        ),
        class_=STYLES[share >= 0] if share else "other",
        data_tip=tip,
    )


def _dot(
    row: int,
    place: tuple[float, float],
    name: str,
    own: float,
    handed: float | None,
    largest: float,
    *,
    centre: bool,
) -> Markup:
    radius = SMALLEST + (LARGEST - SMALLEST) * (abs(own) / largest) ** 0.5
    tip = f"node {name}: its own features {_signed(own)}" + ("" if handed is None else f", handed on {_signed(handed)}")
    return tag(
        "g",
        tag("circle", class_="dot", cx=place[0], cy=place[1], r=radius),
        tag("circle", class_="mark", cx=place[0], cy=place[1], r=radius + 4, fill="none") if centre else None,
        tag(
            "text",
            name if len(name) <= NAME else f"{name[: NAME - 1]}…",
            class_="tick",
            x=place[0],
            y=place[1] + radius + 11,
            text_anchor="middle",
        ),
        class_=STYLES[own >= 0],
        data_tip=tip,
    )


def _signed(share: float) -> str:
    return f"{100 * share:+.1f} %"
