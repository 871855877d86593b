"""The page: its sections, the script and the style in one file that asks for nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from agdn.report.gather.report import Report
from agdn.report.markup import Markup, embedded_json, joined, report_file, tag
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

GENERATOR = b'<meta name="generator" content="agdn report">'
HEAD = 2048  # bytes in which a page of ours names its generator
NAMES_IN_TITLE = 3
KINDS = ("curves", "matrices", "networks")

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
    style, script = report_file("charts.css") + report_file("page.css"), report_file("page.js")
    return _filled(
        report_file("page.html"),
        {
            "policy": _policy(style, script),
            "title": joined(title(report)),
            "lead": joined(_lead(report)),
            "first": joined(sections[0].key),
            "links": joined([tag("li", tag("a", each.title, href=f"#{each.key}")) for each in sections]),
            "missing": _missing(report),
            "sections": joined([_section(each) for each in sections]),
            "foot": joined(f"Written by agdn {metadata.version('agdn')} from {_runs(report)}."),
            "data": embedded_json(_data(sections)),
            "style": Markup(style),
            "script": Markup(script),
        },
    )


def title(report: Report) -> str:
    labels = [recipe.label for recipe in report.recipes]
    if len(labels) <= NAMES_IN_TITLE:
        return " and ".join([", ".join(labels[:-1]), labels[-1]] if len(labels) > 1 else labels)
    return f"{len(labels)} recipes on {', '.join(_data_names(report))}"


def is_report(path: Path) -> bool:
    """Whether a file was written by this command."""
    with path.open("rb") as file:
        return GENERATOR in file.read(HEAD)


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


def _section(section: Section) -> Markup:
    heading = f"heading-{section.key}"
    return tag("section", tag("h2", section.title, id=heading), section.body, id=section.key, aria_labelledby=heading)


def _data(sections: list[Section]) -> dict[str, dict[str, Any]]:
    data: dict[str, dict[str, Any]] = {kind: {} for kind in KINDS}
    for section in sections:
        for kind, content in section.data.items():
            data[kind] |= content
    return data


def _policy(style: str, script: str) -> Markup:
    """Nothing is fetched from anywhere, and no script runs but the page's own."""
    rules = ("default-src 'none'", f"style-src '{_digest(style)}'", f"script-src '{_digest(script)}'")
    return Markup("; ".join((*rules, "base-uri 'none'", "form-action 'none'")))


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _filled(template: str, values: Mapping[str, Markup]) -> str:
    """In one pass, so that braces in a value stay what they are."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], template)
