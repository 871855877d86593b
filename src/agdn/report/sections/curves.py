"""How training went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agdn.report.charts.lines import Line, LineChart
from agdn.report.gather.curves import Curve
from agdn.report.gather.report import Recipe, Report
from agdn.report.markup import joined
from agdn.report.rounding import scale, unit
from agdn.report.sections.section import Section, figure, figures, legend, paragraph, style_of

PARTS = {"train": "training", "valid": "validation", "test": "test"}


def curves(report: Report) -> Section | None:
    charts = list(_of_one(report.recipes[0]) if len(report.recipes) == 1 else _of_several(report.recipes))
    if not charts:
        return None
    entries = dict.fromkeys((line.style, line.name) for chart in charts for line in chart.lines)
    body = joined(
        paragraph(
            "Lines are means over the seeds, bands reach from the lowest seed to the highest, triangles mark the "
            "epochs that were kept. A line is pale where some of the seeds have ended."
        ),
        legend(list(entries)),
        figures([figure(chart.title, chart.svg(), _condensed(chart)) for chart in charts]),
        paragraph(said) if (said := _losses(report.recipes)) else None,
    )
    return Section("curves", "Learning curves", body, {"curves": {chart.key: chart.data() for chart in charts}})


def _of_one(recipe: Recipe) -> Iterator[LineChart]:
    """Parts in one chart: how far training and validation are apart is what counts."""
    metric = recipe.result.metric
    best = tuple(run.best_epoch for run in recipe.result.runs)
    styles = {part: style_of(place) for place, part in enumerate(PARTS)}
    names = {part: f"{name} {recipe.subject}" for part, name in PARTS.items()}
    losses = [Line(names[part], styles[part], curve) for part, curve in recipe.curves.losses.items()]
    scores = [
        Line(names[part], styles[part], curve.scaled(scale(metric)), best if part == "valid" else ())
        for part, curve in recipe.curves.scores.items()
    ]
    if losses:
        yield LineChart("loss", "Loss", "loss", losses, logarithmic=True)
    if scores:
        yield LineChart("score", "Score", unit(metric), scores)


def _of_several(recipes: Sequence[Recipe]) -> Iterator[LineChart]:
    """A chart a part, with a line a recipe."""
    for part in ("train", "valid"):
        lines = _lines(recipes, [recipe.curves.losses.get(part) for recipe in recipes])
        if lines:
            yield LineChart(f"loss-{part}", f"{PARTS[part].capitalize()} loss", "loss", lines, logarithmic=True)
    kinds = [(recipe.subject, recipe.result.metric) for recipe in recipes]
    mixed = len({of for of, _ in kinds}) > 1
    for number, kind in enumerate(dict.fromkeys(kinds)):
        of, metric = kind
        for part, name in PARTS.items():
            found = [
                recipe.curves.scores[part].scaled(scale(metric))
                if kinds[index] == kind and part in recipe.curves.scores
                else None
                for index, recipe in enumerate(recipes)
            ]
            lines = _lines(recipes, found, kept=part == "valid")
            if lines:
                title = f"{name.capitalize()} {metric}" + (f", {of}" if mixed else "")
                yield LineChart(f"score-{number}-{part}", title, unit(metric), lines)


def _lines(recipes: Sequence[Recipe], found: Sequence[Curve | None], *, kept: bool = False) -> list[Line]:
    """``kept``: mark the epochs that were kept."""
    best = [tuple(run.best_epoch for run in recipe.result.runs) if kept else () for recipe in recipes]
    return [
        Line(recipe.label, style_of(index), curve, best[index])
        for index, (recipe, curve) in enumerate(zip(recipes, found, strict=True))
        if curve is not None
    ]


def _condensed(chart: LineChart) -> str | None:
    each = max(line.curve.each for line in chart.lines)
    return f"A point stands for up to {each} epochs." if each > 1 else None


def _losses(recipes: Sequence[Recipe]) -> str | None:
    """Where a model of links is trained on one loss and validated by another."""
    others = [
        f"{recipe.label} on {recipe.config.link.loss}"
        for recipe in recipes
        if recipe.config.link is not None and recipe.config.link.loss != "cross_entropy" and recipe.curves.losses
    ]
    return f"The loss of validation edges is the cross-entropy; trained is {', '.join(others)}." if others else None
