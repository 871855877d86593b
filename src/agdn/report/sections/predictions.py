"""What is predicted on test nodes: which classes are confused, how well each task is answered, how numbers compare."""

from __future__ import annotations

import numpy as np

from agdn.report.charts.matrix import LABELLED, Matrix
from agdn.report.charts.points import ranked, scatter
from agdn.report.gather.areas import Areas
from agdn.report.gather.confusion import Confusion
from agdn.report.gather.numbers import Numbers
from agdn.report.gather.report import Recipe, Report
from agdn.report.gather.reproduce import seeds_text
from agdn.report.markup import Markup
from agdn.report.sections.section import Section, details, figure, figures, style_of, table, tabs


def predictions(report: Report) -> Section | None:
    panels, matrices = [], {}
    for index, recipe in enumerate(report.recipes):
        found = recipe.findings
        if found.confusion is not None:
            matrix = _matrix(f"confusion-{index}", recipe, found.confusion.shortened())
            matrices[matrix.key] = matrix.data()
            panels.append((recipe.label, _classes(recipe, matrix, found.confusion.shortened())))
        elif found.areas is not None:
            panels.append((recipe.label, _tasks(found.areas, style_of(index))))
        elif found.numbers is not None:
            panels.append((recipe.label, _numbers(found.numbers, style_of(index))))
    if not panels:
        return None
    return Section("predictions", "Predictions", tabs("predictions", "Recipes", panels), {"matrices": matrices})


def _matrix(key: str, recipe: Recipe, confusion: Confusion) -> Matrix:
    counts = confusion.counts
    totals = counts.sum(1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros(counts.shape), where=totals > 0)
    cells = [[f"{count:,}" if count else "" for count in row] for row in counts.tolist()]
    title = f"Confusion matrix of {recipe.label}"
    return Matrix(key, title, "true class", "predicted class", confusion.names, confusion.names, np.sqrt(shares), cells)


def _classes(recipe: Recipe, matrix: Matrix, confusion: Confusion) -> Markup:
    seeds = recipe.findings.seeds
    summed = f"seeds {seeds_text(seeds)} together" if len(seeds) > 1 else f"seed {seeds[0]}"
    note = f"Counts of test nodes, {summed}. Shades go by the square root of the share of the true class."
    numbered = len(confusion.names) > LABELLED
    if numbered:
        note += " Classes are numbered as in the table."
    measured = (confusion.precision, confusion.recall)
    rows = [
        (
            f"{index}: {name}" if numbered and name != str(index) else name,
            f"{total:,}",
            *(_share(float(values[index])) for values in measured),
        )
        for index, (name, total) in enumerate(zip(confusion.names, confusion.counts.sum(1).tolist(), strict=True))
    ]
    classes = table("Every class", ("class", "test nodes", "precision in %", "recall in %"), rows)
    listed = classes if len(rows) <= LABELLED else details("Every class as a table", classes)
    return figures(figure(matrix.title, matrix.svg(), note), listed)


def _tasks(areas: Areas, style: str) -> Markup:
    known = np.flatnonzero(~np.isnan(areas.values).any(0))
    names, values = [areas.names[task] for task in known], 100 * areas.values[:, known]
    title = "Area under the ROC curve of every task"
    note = "Mean over the seeds, and the range of the seeds." if len(values) > 1 else None
    left_out = len(areas.names) - len(known)
    have = "task has" if left_out == 1 else "tasks have"
    missing = f"{left_out} {have} one answer only among the test nodes." if left_out else None
    rows = [
        (name, f"{values[:, task].mean():.2f}", f"{values[:, task].min():.2f}", f"{values[:, task].max():.2f}")
        for task, name in enumerate(names)
    ]
    chart = figure(title, ranked(title, names, values, y_name="area in %", style=style), note, missing)
    return figures(chart, details("Every task as a table", table(title, ("task", "mean", "lowest", "highest"), rows)))


def _numbers(numbers: Numbers, style: str) -> Markup:
    title = f"Predicted and true numbers, seed {numbers.seed}"
    shown = len(numbers.true)
    note = f"{shown:,} of {numbers.nodes:,} test nodes." if shown < numbers.nodes else f"{shown:,} test nodes."
    note += f" Mean absolute error {numbers.mae:.4g}, R² {numbers.r2:.4f}; on the line prediction and truth agree."
    return figures(figure(title, scatter(f"{title}. {note}", numbers.true, numbers.predicted, style=style), note))


def _share(value: float) -> str:
    return "" if np.isnan(value) else f"{100 * value:.1f}"
