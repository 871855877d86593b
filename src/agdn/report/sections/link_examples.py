"""Links to look at, and what went most wrong."""

from __future__ import annotations

from collections.abc import Sequence

from agdn.report.gather.link_examples import LinkExamples, Pair
from agdn.report.gather.report import Report
from agdn.report.markup import Markup, joined
from agdn.report.rounding import short
from agdn.report.sections.section import Section, figures, paragraph, table, tabs

HEADER = ("node", "other node", "score", "degrees", "common neighbours")


def link_examples(report: Report) -> Section | None:
    panels = [
        (recipe.label, _of_recipe(links.examples))
        for recipe in report.recipes
        if (links := recipe.findings.links) is not None
    ]
    return Section("top-links", "Likeliest links", tabs("top-links", "Recipes", panels)) if panels else None


def _of_recipe(found: LinkExamples) -> Markup:
    return joined(
        paragraph(
            f"Seed {found.seed}. New links are in no part of the split; looked at was {found.looked_at}. Degrees and "
            "common neighbours are counted among the training edges."
        ),
        figures(
            _pairs("The likeliest new links", found.likely),
            _pairs("The worst false alarms: the likeliest test negatives", found.alarms),
            _pairs("The worst misses: the least likely test edges", found.misses),
        ),
    )


def _pairs(caption: str, pairs: Sequence[Pair]) -> Markup:
    rows = [
        (*pair.ends, short(pair.score), f"{pair.degrees[0]:,} and {pair.degrees[1]:,}", f"{pair.common:,}")
        for pair in pairs
    ]
    return table(caption, HEADER, rows) if rows else paragraph(f"{caption}: none.")
