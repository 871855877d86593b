"""What the study of hops found: weights by hop, by degree and by homophily, and how mean hops go with both."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np

from agdn.report.charts.boxes import boxes
from agdn.report.charts.drawing import drawing
from agdn.report.charts.lines import Along, Line, LineChart
from agdn.report.gather.curves import combined
from agdn.report.markup import Markup
from agdn.report.sections.section import style_of
from agdn.studies.gathering import grouped, percent_on, spread
from agdn.studies.page import Figure, Page, Table
from agdn.studies.study import Outcome

HEADER = (
    "recipe", "weighting", "test", "layer", "who weighs", "mean hop", "spread", "with degree", "with homophily"
)  # fmt: skip
BINS = {"by degree": "degree", "by homophily": "neighbours of the same class"}


def hops_page(settings: Any, outcomes: Sequence[Outcome]) -> Page:
    text = [
        "A mean hop is the mean of the hop numbers by their weights: of every node with HA, of every channel (by the "
        "size of its weights) with HC; *spread* is the deviation over nodes or channels. *With degree* and *with "
        "homophily* are Spearman's rank correlations of the nodes' mean hops with the number of their neighbours and "
        "with the share of these that have the same class. Numbers are means over the seeds.",
    ]
    parts: list[Table | Figure] = [Table("layers", "Layers", HEADER, _rows(outcomes))]
    for (recipe, weighting), group in grouped(outcomes, "recipe", "weighting"):
        parts += _figures(f"{recipe.replace('/', '-')}-{weighting}", f"{recipe}, {weighting}", group)
    return Page("Which hops are listened to", text, parts, _each(outcomes))


def _each(outcomes: Sequence[Outcome]) -> list[Table]:
    """Every node or channel of the first seed in a line."""
    tables = []
    for (recipe, weighting), group in grouped(outcomes, "recipe", "weighting"):
        first = group[0].observed
        by_nodes = first["layers"][0]["weigher"] == "node"
        known = [first["degrees"], first["homophily"] or [None] * len(first["degrees"])] if by_nodes else []
        rows = [
            [str(cell) if cell is not None else "" for cell in (layer["layer"], number, *facts, *weights)]
            for layer in first["layers"]
            for number, (weights, *facts) in enumerate(zip(layer["each"], *known, strict=True))
        ]
        who, facts = ("node", ("degree", "homophily")) if by_nodes else ("channel", ())
        header = ["layer", who, *facts, *(f"hop {hop}" for hop in first["layers"][0]["hops"])]
        title = f"{recipe}, {weighting}: every {who}, seed {group[0].seed}"
        tables.append(Table(f"{recipe.replace('/', '-')}-{weighting}-each", title, header, rows))
    return tables


def _rows(outcomes: Sequence[Outcome]) -> list[list[str]]:
    rows = []
    for (recipe, weighting), group in grouped(outcomes, "recipe", "weighting"):
        for place in range(len(group[0].observed["layers"])):
            layers = [each.observed["layers"][place] for each in group]
            rows.append(
                [
                    recipe,
                    weighting,
                    spread(group, percent_on("test")),
                    str(layers[0]["layer"]),
                    f"{layers[0]['weigher']}s",
                    *(_mean(layers, key, "{:.2f}") for key in ("mean hop", "spread of mean hops")),
                    *(_mean(layers, key, "{:+.2f}") for key in ("with degree", "with homophily")),
                ]
            )
    return rows


def _mean(layers: Sequence[dict[str, Any]], key: str, shape: str) -> str:
    values = [layer[key] for layer in layers if layer.get(key) is not None]
    return shape.format(statistics.fmean(values)) if values else ""


def _figures(key: str, title: str, group: Sequence[Outcome]) -> list[Table | Figure]:
    by_layer = list(zip(*(each.observed["layers"] for each in group), strict=True))
    panels = [(f"layer {layers[0]['layer']}", _boxes(layers)) for layers in by_layer]
    who = {"node": "nodes", "channel": "channels", "layer": "layer"}[by_layer[0][0]["weigher"]]
    parts: list[Table | Figure] = [
        Figure(
            f"{key}-weights",
            f"{title}: weights of the hops",
            drawing(f"{title}: weights of the hops", panels),
            f"Over the {who}: boxes hold the middle half, lines nine tenths, dots are means.",
        )
    ]
    for group_key, name in BINS.items():
        shown = [layers for layers in by_layer if layers[0].get(group_key)]
        if not shown:
            continue
        names = list(dict.fromkeys(each for layers in shown for layer in layers for each in layer[group_key]))
        styles = {each: style_of(place) for place, each in enumerate(names)}
        charts = [(f"layer {layers[0]['layer']}", _lines(layers, group_key, styles)) for layers in shown]
        said = f"{title}: mean weights by {name}"
        legend = [(styles[each], each) for each in names]
        place = f"{key}-{group_key.removeprefix('by ')}"
        parts.append(Figure(place, said, drawing(said, charts, legend)))
        parts.append(Table(place, f"{said}, as numbers", *_bin_table(shown, group_key, names)))
    return parts


def _boxes(layers: Sequence[dict[str, Any]]) -> Markup:
    quantiles = np.mean([layer["quantiles"] for layer in layers], axis=0)
    mean = np.mean([layer["mean"] for layer in layers], axis=0)
    names = [str(hop) for hop in layers[0]["hops"]]
    return boxes(f"Layer {layers[0]['layer']}", names, quantiles, mean, x_name="hop", y_name="weight")


def _lines(layers: Sequence[dict[str, Any]], key: str, styles: dict[str, str]) -> Markup:
    lines = []
    for name, style in styles.items():
        seeds = [
            dict(zip(layer["hops"], layer[key][name]["mean"], strict=True)) for layer in layers if name in layer[key]
        ]
        curve = combined(seeds)
        if curve is not None:
            lines.append(Line(name, style, curve))
    title = f"Layer {layers[0]['layer']}: weights {key}"
    return LineChart(key, title, "mean weight", lines, along=Along("hop")).svg(still=True)


def _bin_table(
    shown: Sequence[Sequence[dict[str, Any]]], key: str, names: Sequence[str]
) -> tuple[list[str], list[list[str]]]:
    hops = list(dict.fromkeys(hop for layers in shown for hop in layers[0]["hops"]))
    rows = []
    for layers in shown:
        for name in names:
            bins = [layer[key][name] for layer in layers if name in layer[key]]
            if bins:
                means = dict(zip(layers[0]["hops"], np.mean([each["mean"] for each in bins], axis=0), strict=True))
                nodes = statistics.fmean(each["nodes"] for each in bins)
                cells = [f"{means[hop]:.3f}" if hop in means else "" for hop in hops]
                rows.append([str(layers[0]["layer"]), name, f"{nodes:.0f}", *cells])
    return ["layer", key.removeprefix("by "), "nodes", *(f"hop {hop}" for hop in hops)], rows
