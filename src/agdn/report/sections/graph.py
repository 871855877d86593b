"""The graph, or pieces of it, to look at."""

from __future__ import annotations

from typing import Any

from agdn.report.charts.network import Colouring, colouring, network, network_data
from agdn.report.gather.report import Report
from agdn.report.gather.views import Views
from agdn.report.markup import Markup, joined, tag
from agdn.report.sections.section import Section, legend, paragraph, tabs

COLOURED_BY = {
    "class": "the predicted class; a ring marks nodes that are predicted wrong",
    "multilabel": "the probability of {name}; a ring marks nodes with a wrong answer",
    "numeric": "the predicted number",
}


def graph(report: Report) -> Section | None:
    panels: list[tuple[str, Markup]] = []
    data: dict[str, Any] = {}
    all_views = [found for recipe in report.recipes if (found := recipe.findings.views) is not None]
    for index, recipe in enumerate(report.recipes):
        found = recipe.findings.views
        if found is not None and found.views:
            alike = [views for views in all_views if (views.target, views.names) == (found.target, found.names)]
            panels.append((recipe.label, _panel(f"{index}", found, colouring(alike))))
            data |= {f"{index}-{place}": network_data(view, found.hops) for place, view in enumerate(found.views)}
    if not panels:
        return None
    return Section("graph", "Graph", tabs("graph", "Recipes", panels), {"networks": data})


def _panel(key: str, found: Views, colours: Colouring) -> Markup:
    pieces = [
        (
            view.title,
            tag(
                "div",
                network(f"{key}-{place}", view, colours),
                tag("div", tag("p", "Choose a node.", class_="note"), class_="detail", aria_live="polite"),
                class_="explore",
            ),
        )
        for place, view in enumerate(found.views)
    ]
    by = COLOURED_BY[found.target].format(name=found.names[0] if found.names else "")
    return joined(
        paragraph(
            f"Seed {found.seed}. Colour is {by}. Choose a node to see who it hears, how far away they are, "
            "and how it weighs its hops."
        ),
        legend(list(colours.styles)),
        tabs(f"view-{key}", "Pieces of the graph", pieces),
    )
