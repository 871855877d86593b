"""Which edges are found: the further one goes down the list, and by how many neighbours their ends have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agdn.report.charts.lines import Along, Line, LineChart
from agdn.report.gather.link_merit import official_k
from agdn.report.gather.links import Links
from agdn.report.gather.report import Report
from agdn.report.markup import Markup, joined
from agdn.report.sections.section import Section, figure, figures, legend, paragraph, style_of, table

HITS = "Hits@K is the share of test edges that score higher than the K-th best negative."
OWN = " Where each edge has negatives of its own, it is the share that come among the first K with them."
DEGREES = " Degrees count the neighbours that a node has by training edges."
SEEDS = " Lines are means over the seeds, bands reach from the lowest seed to the highest."


class Told(NamedTuple):
    """A recipe, and what its models say."""

    label: str
    style: str
    data: str
    metric: str
    links: Links


def link_hits(report: Report) -> Section | None:
    told = [
        Told(recipe.label, style_of(index), recipe.result.dataset, recipe.result.metric, links)
        for index, recipe in enumerate(report.recipes)
        if (links := recipe.findings.links) is not None
    ]
    if not told:
        return None
    degrees = list(_degrees(told))
    charts = [*_hits(told), *(chart for chart, _ in degrees)]
    own = any(each.links.own_negatives for each in told)
    several = any(max(each.links.hits.seeds) > 1 for each in told)
    body = joined(
        paragraph(HITS, OWN if own else None, DEGREES, SEEDS if several else None),
        legend([(each.style, each.label) for each in told]) if len(told) > 1 else None,
        figures([figure(chart.title, chart.svg()) for chart in charts]),
        [counted for _, counted in degrees],
    )
    return Section("hits", "Which edges are found", body, {"curves": {chart.key: chart.data() for chart in charts}})


def _hits(told: Sequence[Told]) -> Iterator[LineChart]:
    """A line a recipe; edges with negatives of their own are ranked among far fewer, and so apart."""
    for own in (False, True):
        chosen = [each for each in told if each.links.own_negatives == own]
        if not chosen:
            continue
        official = {official_k(each.metric) for each in chosen}
        k = official.pop() if len(official) == 1 else None
        y_name = "test edges of rank K or better in %" if own else "test edges above the K-th best negative in %"
        lines = [Line(each.label, each.style, each.links.hits.scaled(100)) for each in chosen]
        along = Along("K", logarithmic=True, mark=None if k is None else (k, f"hits@{k}"))
        title = "Hits@K among the negatives of each edge" if own else "Hits@K"
        yield LineChart("hits-own" if own else "hits-all", title, y_name, lines, along=along)


def _degrees(told: Sequence[Told]) -> Iterator[tuple[LineChart, Markup]]:
    """A chart and its table for recipes that have the same groups and are measured alike."""
    kinds = [(each.data, each.links.by_degree.names, each.links.by_degree.measured) for each in told]
    for number, kind in enumerate(dict.fromkeys(kinds)):
        chosen = [each for each, own in zip(told, kinds, strict=True) if own == kind]
        data, names, measured = kind
        of = f" of {data}" if len({data for data, _, _ in kinds}) > 1 else ""
        title = f"Test edges{of} by the smaller degree of their ends"
        lines = [Line(each.label, each.style, each.links.by_degree.curve.scaled(100)) for each in chosen]
        along = Along("smaller degree", names=names)
        yield (
            LineChart(f"degrees-{number}", title, f"{measured} in %", lines, along=along),
            _table(f"{title}: {measured} in %", chosen),
        )


def _table(caption: str, chosen: Sequence[Told]) -> Markup:
    first = chosen[0].links.by_degree
    curves = [each.links.by_degree.curve for each in chosen]
    values = [dict(zip(curve.x, curve.mean, strict=True)) for curve in curves]
    rows = [
        (name, f"{first.counts[group]:,.0f}", *(f"{100 * own[group]:.1f}" if group in own else "" for own in values))
        for group, name in enumerate(first.names)
    ]
    return table(caption, ("smaller degree", "test edges", *(each.label for each in chosen)), rows)
