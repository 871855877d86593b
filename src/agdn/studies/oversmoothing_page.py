"""What the over-smoothing study found: curves over K, the same as tables, and the paper's claims beside the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agdn.report.charts.drawing import drawing
from agdn.report.charts.lines import Along, Line, LineChart
from agdn.report.rounding import unit
from agdn.report.sections.section import style_of
from agdn.studies.gathering import Value, curve_along, percent_on, spread, values_of, where
from agdn.studies.oversmoothing_claims import PLAIN, claims
from agdn.studies.page import Figure, Page, Table
from agdn.studies.study import Outcome

MODELS = (PLAIN, "mean", "HA", "HC")  # a model looks the same in every figure
RESIDUAL = {False: "without residual", True: "with residual"}


def oversmoothing_page(settings: Any, outcomes: Sequence[Outcome]) -> Page:
    data = outcomes[0].trained.dataset
    metric = outcomes[0].trained.metric
    seeds = len({each.seed for each in outcomes})
    text = [
        f"{data['name']}, {data['nodes']:,} nodes and {data['edges']:,} edges, {seeds} seed{'s' * (seeds > 1)}. "
        f"Networks of {settings.layers} layers with K hops each, weighed by mean, HA or HC, against plain stacks of "
        f"{settings.layers}K layers of one hop: the same reach, the same frame. Test scores of the epoch that was best "
        "on validation nodes; smoothness of the states in front of the output layer at that epoch, which have seen "
        f"{settings.layers - 1}K steps in the former and {settings.layers}K - 1 in the latter. Lines are means over "
        "the seeds, bands reach from the lowest to the highest.",
    ]
    said = claims(outcomes, settings.hops)
    if said.rows:
        text.append(
            "A claim is judged by differences seed by seed: *not clear* where the bound lies within their 95 % "
            "interval (t-test). Flat is what ends within two points of its best."
            + (" With one seed there is no interval, and the sign decides." if seeds == 1 else "")
        )
    kinds: list[tuple[str, str, str, Value, int]] = [
        ("score", f"Test {metric}", unit(metric), percent_on("test"), 2),
        ("energy", "Dirichlet energy", "E(H), normalised", lambda each: float(each.observed["dirichlet energy"]), 4),
        ("cosine", "Mean cosine", "mean cosine of pairs", lambda each: float(each.observed["mean cosine"]), 4),
    ]
    parts: list[Table | Figure] = [said] if said.rows else []
    for key, title, name, value, digits in kinds:
        for residual in values_of(outcomes, "residual"):
            group = where(outcomes, residual=residual)
            place = f"{key}-{'residual' if residual else 'bare'}"
            parts.append(_figure(place, f"{title} {RESIDUAL[residual]}", name, group, value))
            of_hops = [each for each in group if each.facts["model"] != PLAIN]
            if key == "score" and 0 < len(of_hops) < len(group):  # falls of tens of points hide differences of one
                closer = f"{title} {RESIDUAL[residual]}, several hops a layer"
                parts.append(_figure(f"{place}-closer", closer, name, of_hops, value))
            parts.append(_table(place, f"{title} {RESIDUAL[residual]}, by K", group, value, digits))
    return Page(f"Over-smoothing: {data['name']}", text, parts)


def _figure(key: str, title: str, name: str, outcomes: Sequence[Outcome], value: Value) -> Figure:
    models = values_of(outcomes, "model")
    styles = {model: style_of(MODELS.index(model)) for model in models}
    panels = []
    for base in values_of(outcomes, "base"):
        found = [(model, curve_along(where(outcomes, base=base, model=model), "K", value)) for model in models]
        lines = [Line(_named(model), styles[model], curve) for model, curve in found if curve is not None]
        chart = LineChart(key, f"{title}, {base}", name, lines, along=Along("K"))
        panels.append((base, chart.svg(still=True)))
    legend = [(styles[model], _named(model)) for model in models]
    return Figure(key, title, drawing(title, panels, legend, columns=3))


def _table(key: str, title: str, outcomes: Sequence[Outcome], value: Value, digits: int) -> Table:
    hops = sorted(values_of(outcomes, "K"))
    rows = [
        [base, _named(model), *(spread(where(found, K=each), value, digits=digits) for each in hops)]
        for base in values_of(outcomes, "base")
        for model in values_of(outcomes, "model")
        if (found := where(outcomes, base=base, model=model))
    ]
    return Table(key, title, ["base", "model", *(f"K = {each}" for each in hops)], rows)


def _named(model: str) -> str:
    return "plain stack" if model == PLAIN else model
