"""The report's page: its sections in order."""

from __future__ import annotations

from collections.abc import Callable

from agdn.report.document import document
from agdn.report.gather.report import Report
from agdn.report.markup import Markup, tag
from agdn.report.sections.calibration import calibration
from agdn.report.sections.configuration import configuration
from agdn.report.sections.cost import cost
from agdn.report.sections.curves import curves
from agdn.report.sections.graph import graph
from agdn.report.sections.hops import hops
from agdn.report.sections.link_examples import link_examples
from agdn.report.sections.link_hits import link_hits
from agdn.report.sections.link_scores import link_scores
from agdn.report.sections.mistakes import mistakes
from agdn.report.sections.predictions import predictions
from agdn.report.sections.scores import scores
from agdn.report.sections.section import Section

NAMES_IN_TITLE = 3

SECTIONS: tuple[Callable[[Report], Section | None], ...] = (
    scores,
    curves,
    predictions,
    link_scores,
    link_hits,
    calibration,
    hops,
    mistakes,
    link_examples,
    graph,
    cost,
    configuration,
)


def page(report: Report) -> str:
    """The same report gives the same page."""
    sections = [made for section in SECTIONS if (made := section(report)) is not None]
    return document(
        sections,
        command="agdn report",
        title=title(report),
        lead=_lead(report),
        source=_runs(report),
        note=_missing(report),
    )


def title(report: Report) -> str:
    labels = [recipe.label for recipe in report.recipes]
    if len(labels) <= NAMES_IN_TITLE:
        return " and ".join([", ".join(labels[:-1]), labels[-1]] if len(labels) > 1 else labels)
    return f"{len(labels)} recipes on {', '.join(_data_names(report))}"


def _lead(report: Report) -> str:
    data = report.recipes[0].result.runs[0].dataset
    sizes = [f"{data[name]:,} {name}" for name in ("nodes", "edges") if isinstance(data.get(name), int)]
    of = f"{', '.join(_data_names(report))}: {' and '.join(sizes)}. " if len(_data_names(report)) == 1 and sizes else ""
    return f"{of}{_runs(report)}."


def _runs(report: Report) -> str:
    count = len(report.recipes)
    return f"{report.runs} run{'s' * (report.runs > 1)} of {count} recipe{'s' * (count > 1)}"


def _data_names(report: Report) -> list[str]:
    return list(dict.fromkeys(str(recipe.result.runs[0].dataset.get("name")) for recipe in report.recipes))


def _missing(report: Report) -> Markup:
    if not report.missing:
        return Markup()
    said = "Predictions could not be computed, so what follows from them is left out of this page for:"
    return tag("div", tag("p", said), [tag("p", reason) for reason in report.missing], class_="missing", role="note")
