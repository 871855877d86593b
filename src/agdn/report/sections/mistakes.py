"""What went most wrong."""

from __future__ import annotations

from agdn.report.charts.picture import picture
from agdn.report.gather.mistakes import Mistake
from agdn.report.gather.report import Recipe, Report
from agdn.report.markup import Markup, joined, tag
from agdn.report.rounding import percent
from agdn.report.sections.section import Section, paragraph, table, tabs


def mistakes(report: Report) -> Section | None:
    panels = [(recipe.label, _of_recipe(recipe)) for recipe in report.recipes if recipe.findings.mistakes]
    if not panels:
        return None
    numeric = all(mistake.sure is None for recipe in report.recipes for mistake in recipe.findings.mistakes)
    title = "Largest errors" if numeric else "Most confident mistakes"
    return Section("mistakes", title, tabs("mistakes", "Recipes", panels))


def _of_recipe(recipe: Recipe) -> Markup:
    found = recipe.findings.mistakes
    seed = recipe.findings.seeds[0]
    if found[0].image is not None:
        shown = tag("ul", [tag("li", _card(mistake)) for mistake in found], class_="cards")
        return joined(paragraph(f"Test nodes of seed {seed}, the surest first."), shown)
    numeric = found[0].sure is None
    header = ("node", "predicted", "true", *(() if numeric else ("sure", "of the truth")))
    rows = [(mistake.name, mistake.predicted, mistake.true, *_chances(mistake)) for mistake in found]
    return table(f"Test nodes of seed {seed}", header, rows)


def _card(mistake: Mistake) -> Markup:
    assert mistake.image is not None, "cards are for data with pictures"
    chances = _chances(mistake)
    return tag(
        "figure",
        picture(f"node {mistake.name}", mistake.image),
        tag(
            "figcaption",
            tag("span", f"taken for {mistake.predicted}", tag("b", f" {chances[0]}"), class_="said"),
            tag("span", f"is {mistake.true}", f" ({chances[1]})"),
            tag("span", f"node {mistake.name}", class_="note"),
        ),
    )


def _chances(mistake: Mistake) -> tuple[str, ...]:
    if mistake.sure is None or mistake.of_truth is None:
        return ()
    return percent(mistake.sure), percent(mistake.of_truth)
