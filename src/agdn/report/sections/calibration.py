"""Is a model right as often as it says?"""

from __future__ import annotations

import statistics

import numpy as np

from agdn.report.charts.reliability import reliability
from agdn.report.gather.report import Report
from agdn.report.markup import Markup, joined
from agdn.report.sections.section import Section, figure, figures, legend, paragraph, style_of, table


def calibration(report: Report) -> Section | None:
    judged = [
        (recipe.label, style_of(index), recipe.findings.calibration)
        for index, recipe in enumerate(report.recipes)
        if recipe.findings.calibration is not None
    ]
    if not judged:
        return None
    charts: list[Markup] = []
    for of_yes in (False, True):
        lines = [(name, style, found) for name, style, found in judged if found is not None and found.of_yes == of_yes]
        if lines:
            charts.append(
                figure("Reliability", reliability("Reliability", lines), "A dot is as large as its bin is full.")
            )
    rows = []
    for name, _, found in judged:
        assert found is not None, "recipes without probabilities were left out"
        errors = [100 * error for error in found.errors]
        spread = f" ± {statistics.stdev(errors):.2f}" if len(errors) > 1 else ""
        total = max(1, int(found.counts.sum()))
        means = [f"{100 * float(np.sum(sums)) / total:.1f}" for sums in (found.confidence, found.right)]
        rows.append((name, f"{statistics.fmean(errors):.2f}{spread}", *means))
    header = ("recipe", "calibration error in %", "mean confidence in %", "right in %")
    body = joined(
        paragraph(
            "Test nodes by how sure the model was. Above the diagonal it is right more often than it says, below it is "
            "too sure. The expected calibration error is the mean distance from the diagonal, weighted by the nodes."
        ),
        legend([(style, name) for name, style, _ in judged]) if len(judged) > 1 else None,
        figures(charts, table("Expected calibration error, mean and deviation over the seeds", header, rows)),
    )
    return Section("calibration", "Calibration", body)
