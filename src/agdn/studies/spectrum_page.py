"""What the study of filters found: a drawing a layer, a line a channel, over where the graph's eigenvalues are."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np

from agdn.report.charts.axis import Axis
from agdn.report.charts.drawing import drawing
from agdn.report.charts.frame import axes, chart, x_span, y_span
from agdn.report.markup import Markup, tag
from agdn.report.rounding import coordinate
from agdn.studies.gathering import grouped, percent_on, spread
from agdn.studies.page import Figure, Page, Table
from agdn.studies.study import Outcome

GRID = np.linspace(0, 2, 121)
HIGHEST = 1.05
THIRDS = ("low", "middle", "high")
STYLES = {"low": "s0", "middle": "s2", "high": "s1"}
HEADER = ("recipe", "transition", "test", "layer", "channels", *(f"{name} %" for name in THIRDS), "changes sign %")


def response(kernel: np.ndarray, first_hop: int, eigenvalues: np.ndarray) -> np.ndarray:
    """(C, K) weights of the hops from ``first_hop`` on -> (C, len(eigenvalues)) h_c(lambda)."""
    powers = (1 - eigenvalues)[None, :] ** (first_hop + np.arange(kernel.shape[1]))[:, None]
    values: np.ndarray = kernel @ powers
    return values


def spectrum_page(settings: Any, outcomes: Sequence[Outcome]) -> Page:
    text = [
        "A channel's filter is h(lambda) = sum over k of theta_k (1 - lambda)^k, over the eigenvalues lambda of the "
        "normalised Laplacian that this graph has. It is counted as *low*, *middle* or *high* by the third of the "
        "graph's range of eigenvalues in which |h| is largest; *changes sign*: somewhere in that range. Tables are "
        "means over the seeds, drawings and coefficients are of the first seed. In the drawings every filter is scaled "
        "to a largest value of 1 in the graph's range, beyond which it may leave the drawing; the grey area says where "
        "the eigenvalues are.",
    ]
    learnt = [each for each in settings.transitions if each.startswith("gat")]
    if learnt:
        text.append(
            f"{', '.join(learnt)}: attention has eigenvalues of its own, which change with the features. There the "
            "drawing is of the same polynomial, and the grey area and the thirds are those of the graph without it."
        )
    parts: list[Table | Figure] = [Table("layers", "Layers", HEADER, _rows(outcomes))]
    for (recipe, transition), group in grouped(outcomes, "recipe", "transition"):
        key, title = f"{recipe.replace('/', '-')}-{transition}", f"{recipe}, {transition}"
        parts.append(_figure(key, title, group[0].observed))
        parts.append(Table(f"{key}-channels", f"{title}: coefficients", *_coefficients(group[0].observed)))
    return Page("The filters that HC learns", text, parts)


def kinds(kernel: np.ndarray, first_hop: int, shares: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Of every channel: the third of the graph's range where it is largest, and whether it changes its sign there."""
    edges = np.linspace(0, 2, len(shares) + 1)
    held = np.flatnonzero(shares > 0)
    low, high = edges[held[0]], edges[held[-1] + 1]
    values = response(kernel, first_hop, np.linspace(low, high, 300))
    thirds = np.minimum(np.abs(values).argmax(1) * 3 // values.shape[1], 2)
    return [THIRDS[third] for third in thirds], (values.min(1) < 0) & (values.max(1) > 0)


def _rows(outcomes: Sequence[Outcome]) -> list[list[str]]:
    rows = []
    for (recipe, transition), group in grouped(outcomes, "recipe", "transition"):
        for place in range(len(group[0].observed["layers"])):
            told = [_kinds(each.observed, place) for each in group]
            shares = [
                statistics.fmean(100 * np.mean([kind == name for kind in found]) for found, _ in told)
                for name in THIRDS
            ]
            shares.append(statistics.fmean(100 * float(signs.mean()) for _, signs in told))
            layer = group[0].observed["layers"][place]
            rows.append(
                [
                    recipe,
                    transition,
                    spread(group, percent_on("test")),
                    str(layer["layer"]),
                    str(len(layer["kernel"])),
                    *(f"{share:.0f}" for share in shares),
                ]
            )
    return rows


def _kinds(observed: Any, place: int) -> tuple[list[str], np.ndarray]:
    layer = observed["layers"][place]
    return kinds(np.array(layer["kernel"]), layer["first hop"], np.array(observed["eigenvalues"]))


def _figure(key: str, title: str, observed: Any) -> Figure:
    panels = [
        (f"layer {layer['layer']}", _filters(layer, _kinds(observed, place)[0], np.array(observed["eigenvalues"])))
        for place, layer in enumerate(observed["layers"])
    ]
    legend = [(STYLES[name], f"largest at {name} eigenvalues") for name in THIRDS]
    said = f"{title}: filters of the channels"
    return Figure(f"{key}-filters", said, drawing(said, panels, legend))


def _filters(layer: Any, found: Sequence[str], shares: np.ndarray) -> Markup:
    x, y = Axis(0, 2, *x_span()), Axis(-HIGHEST, HIGHEST, *y_span())
    values = response(np.array(layer["kernel"]), layer["first hop"], GRID)
    inside = np.interp(GRID, (np.arange(len(shares)) + 0.5) * 2 / len(shares), shares) > 0
    top = np.abs(values[:, inside] if inside.any() else values).max(1, keepdims=True)
    values = values / np.maximum(top, 1e-12)
    lines = [
        tag("g", tag("path", d=_path(row, x, y), class_="line", opacity=0.4), class_=STYLES[kind])
        for row, kind in zip(values, found, strict=True)
    ]
    said = f"Layer {layer['layer']}: {len(found)} filters, {', '.join(f'{found.count(n)} {n}' for n in THIRDS)}."
    return chart(said, _density(shares, x, y), axes(x, y, "eigenvalue", "h, scaled"), lines)


def _density(shares: np.ndarray, x: Axis, y: Axis) -> Markup:
    edges, floor = np.linspace(0, 2, len(shares) + 1), y.start
    bars = "".join(
        f"M{coordinate(x.place(left))} {coordinate(floor)}V{coordinate(floor - 60 * share / shares.max())}"
        f"H{coordinate(x.place(right))}V{coordinate(floor)}Z"
        for left, right, share in zip(edges[:-1], edges[1:], shares, strict=True)
        if share > 0
    )
    return tag("g", tag("path", d=bars, class_="band"), class_="other")


def _path(row: np.ndarray, x: Axis, y: Axis) -> str:
    """Broken where the line leaves the drawing."""
    shown, drawn = "", False
    for at, value in zip(GRID[::2], row[::2], strict=True):
        if inside := abs(value) <= HIGHEST:
            shown += f"{'L' if drawn else 'M'}{coordinate(x.place(float(at)))} {coordinate(y.place(float(value)))}"
        drawn = inside
    return shown


def _coefficients(observed: Any) -> tuple[list[str], list[list[str]]]:
    rows, hops = [], list[int]()
    for place, layer in enumerate(observed["layers"]):
        hops = [layer["first hop"] + k for k in range(len(layer["kernel"][0]))]
        for channel, (kind, weights) in enumerate(zip(_kinds(observed, place)[0], layer["kernel"], strict=True)):
            rows.append([str(layer["layer"]), str(channel), kind, *(f"{weight:+.3f}" for weight in weights)])
    return ["layer", "channel", "largest at", *(f"hop {hop}" for hop in hops)], rows
