"""Is a model right as often as it says?"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np

from agdn.report.charts.reliability import reliability
from agdn.report.gather.calibration import Calibration
from agdn.report.gather.report import Report
from agdn.report.markup import Markup, joined
from agdn.report.sections.section import Section, figure, figures, legend, paragraph, style_of, table


def calibration(report: Report) -> Section | None:
    judged = [
        (recipe.label, style_of(index), found)
        for index, recipe in enumerate(report.recipes)
        if (found := recipe.findings.calibration) is not None
    ]
    if not judged:
        return None
    pieces: list[Markup] = []
    for of_yes in (False, True):
        lines = [line for line in judged if line[2].of_yes == of_yes]
        if lines:
            note = "A dot is as large as its bin is full."
            pieces += [figure("Reliability", reliability("Reliability", lines), note), _errors(lines)]
    body = joined(
        paragraph(
            "Test nodes by how sure the model was. Above the diagonal it is right more often than it says, below it is "
            "too sure. The expected calibration error is the mean distance from the diagonal, weighted by the nodes."
        ),
        legend([(style, name) for name, style, _ in judged]) if len(judged) > 1 else None,
        figures(pieces),
    )
    return Section("calibration", "Calibration", body)


def _errors(lines: Sequence[tuple[str, str, Calibration]]) -> Markup:
    rows = []
    for name, _, judged in lines:
        errors = [100 * error for error in judged.errors]
        spread = f" ± {statistics.stdev(errors):.2f}" if len(errors) > 1 else ""
        total = max(1, int(judged.counts.sum()))
        means = [f"{100 * float(np.sum(sums)) / total:.1f}" for sums in (judged.confidence, judged.right)]
        rows.append((name, f"{statistics.fmean(errors):.2f}{spread}", *means))
    of_yes = lines[0][2].of_yes
    names = ("mean probability of yes in %", "yes in %") if of_yes else ("mean confidence in %", "right in %")
    header = ("recipe", "calibration error in %", *names)
    return table("Expected calibration error, mean and deviation over the seeds", header, rows)
