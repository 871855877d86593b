"""What was achieved: ours, the published figure, and recipes beside each other."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from agdn.experiments.result import REPORTED, SHARES, Result, paired_difference, shown
from agdn.experiments.tables import results_table
from agdn.report.charts.strip import StripRow, strip
from agdn.report.gather.report import Recipe, Report
from agdn.report.gather.subject import subject
from agdn.report.markup import Markup, joined
from agdn.report.rounding import scale, unit
from agdn.report.sections.section import Section, figure, paragraph, style_of, table
from agdn.tasks.node import PARTS


def scores(report: Report) -> Section:
    recipes = report.recipes
    alike = [[recipe for recipe in recipes if recipe.subject == of] for of in dict.fromkeys(r.subject for r in recipes)]
    body = joined(
        [paragraph(sentence(recipe.result)) for recipe in recipes[:1]],
        _strips(recipes),
        [_main(each) for each in alike],
        paragraph("“First minus this” is the mean difference on the seeds that both have, with its standard error.")
        if any(len(each) > 1 for each in alike)
        else None,
        _published(recipes),
        [_pairs(each) for each in alike if len(each) > 2],
        _every_score(recipes),
        _unfinished(recipes),
        [paragraph(note) for note in dict.fromkeys(note for recipe in recipes for note in recipe.result.runs[0].notes)],
    )
    return Section("result", "Result", body)


def sentence(result: Result) -> str:
    """The result in words."""
    runs = len(result.runs)
    sign = " %" if result.metric in SHARES else ""
    over = "one seed" if runs == 1 else f"{runs} seeds"
    said = f"{result.name} reaches {shown(result.mean(), result.std(), result.metric)}{sign} {result.metric} "
    said += f"on test {subject(result.runs[0])} of {result.runs[0].dataset.get('name')}, over {over}."
    if result.published is not None and _comparable(result):
        said += f" Published: {result.published.shown()}{sign}."
    return said


def _main(recipes: Sequence[Recipe]) -> Markup:
    """Of recipes that are all about nodes, or all about edges."""
    header, rows = results_table([recipe.result for recipe in recipes])
    of = recipes[0].subject
    return table(f"Mean and standard deviation over the seeds, at the best epoch on validation {of}", header, rows)


def _comparable(result: Result) -> bool:
    return result.published is not None and result.published.metric == result.metric


def _strips(recipes: Sequence[Recipe]) -> list[Markup]:
    """A chart a metric, since scores of different metrics share no axis; nor do those of nodes and of edges."""
    kinds = [(recipe.subject, recipe.result.metric) for recipe in recipes]
    charts = []
    for kind in dict.fromkeys(kinds):
        of, metric = kind
        rows = [_strip_row(recipe, index) for index, recipe in enumerate(recipes) if kinds[index] == kind]
        if len(rows) == 1 and len(rows[0].scores) == 1 and rows[0].published is None:
            continue
        title = f"Test {metric} of every seed" + (f", {of}" if len({of for of, _ in kinds}) > 1 else "")
        note = "Dots are seeds, the long tick is their mean, the thick line one standard deviation to both sides."
        if any(row.published for row in rows):
            note += " The diamond is the published figure."
        charts.append(figure(title, strip(title, unit(metric), rows, highest=100 if metric in SHARES else None), note))
    return charts


def _strip_row(recipe: Recipe, index: int) -> StripRow:
    result = recipe.result
    factor, std = scale(result.metric), result.std()
    figure = result.published if _comparable(result) else None
    return StripRow(
        recipe.label,
        style_of(index),
        [run.seed for run in result.runs],
        [factor * score for score in result.scores()],
        factor * result.mean(),
        None if std is None else factor * std,
        None if figure is None else (figure.test, figure.test_std),
    )


def _published(recipes: Sequence[Recipe]) -> Markup | None:
    rows = []
    for recipe in recipes:
        result, figure = recipe.result, recipe.result.published
        if figure is None:
            continue
        for part in REPORTED:
            value, spread = getattr(figure, part), getattr(figure, f"{part}_std")
            if value is None:
                continue
            apart = scale(result.metric) * result.mean(part) - value
            rows.append(
                (
                    recipe.label,
                    part,
                    shown(result.mean(part), result.std(part), result.metric) if _comparable(result) else "",
                    f"{value:.2f}" + ("" if spread is None else f" ± {spread:.2f}"),
                    f"{apart:+.2f}" if _comparable(result) else f"another metric: {figure.metric}",
                    figure.seeds or "",
                    figure.source,
                )
            )
    header = ("recipe", "part", "ours", "published", "ours minus published", "their seeds", "source")
    return table("Beside the published figures", header, rows) if rows else None


def _pairs(recipes: Sequence[Recipe]) -> Markup:
    rows = []
    for recipe in recipes:
        row = [recipe.label]
        for other in recipes:
            found = None if other is recipe else paired_difference(recipe.result, other.result)
            row.append("" if found is None else shown(found[0], found[1], recipe.result.metric))
        rows.append(row)
    of = recipes[0].subject
    caption = f"Row minus column on the seeds that both have, test {of}: mean and standard error"
    return table(caption, ("", *(recipe.label for recipe in recipes)), rows)


def _every_score(recipes: Sequence[Recipe]) -> Markup:
    rows = []
    for recipe in recipes:
        runs = recipe.result.runs
        for metric in runs[0].scores["test"]:
            row = [recipe.label, unit(metric)]
            for part in PARTS:
                values = [run.scores[part][metric] for run in runs if metric in run.scores.get(part, {})]
                row.append(_mean(values, metric))
            rows.append(row)
    return table("Every score", ("recipe", "metric", *PARTS), rows)


def _unfinished(recipes: Sequence[Recipe]) -> Markup | None:
    rows = []
    for recipe in recipes:
        runs = [run for run in recipe.result.runs if run.unfinished_scores is not None]
        if runs:
            metric = recipe.result.metric
            before = [run.unfinished_scores["test"][metric] for run in runs if run.unfinished_scores is not None]
            rows.append((recipe.label, unit(metric), _mean(before, metric), _mean([r.score() for r in runs], metric)))
    header = ("recipe", "metric", "before", "after")
    return table("Test nodes before and after correct and smooth", header, rows) if rows else None


def _mean(values: Sequence[float], metric: str) -> str:
    if not values:
        return ""
    return shown(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None, metric)
