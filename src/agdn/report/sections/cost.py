"""Time, size and memory."""

from __future__ import annotations

import statistics

from agdn.experiments.result import shown
from agdn.report.gather.report import Recipe, Report
from agdn.report.markup import joined
from agdn.report.rounding import unit
from agdn.report.sections.section import Section, details, table


def cost(report: Report) -> Section:
    rows = [_row(recipe) for recipe in report.recipes]
    header = ("recipe", "parameters", "epochs", "seconds a run", "seconds an epoch", "GB at most", "threads")
    seeds = [
        (
            f"{recipe.label}, seed {run.seed}",
            shown(run.score("valid"), None, run.metric),
            shown(run.score("test"), None, run.metric),
            unit(run.metric),
            str(run.best_epoch),
            str(run.epochs) + (" (stopped early)" if run.stopped_early else ""),
            f"{run.seconds:.1f}",
        )
        for recipe in report.recipes
        for run in recipe.result.runs
    ]
    columns = ("run", "valid", "test", "metric", "best epoch", "epochs", "seconds")
    body = joined(
        table("Mean over the seeds", header, rows),
        details("Every run", table("Every run", columns, seeds)),
    )
    return Section("cost", "Time and memory", body)


def _row(recipe: Recipe) -> tuple[str, ...]:
    runs = recipe.result.runs
    seconds = [run.seconds for run in runs]
    peaks = [run.peak_memory for run in runs if run.peak_memory is not None]
    spread = f" ({min(seconds):.1f} to {max(seconds):.1f})" if len(runs) > 1 else ""
    epochs = sum(run.epochs for run in runs)
    return (
        recipe.label,
        f"{runs[0].parameters:,}",
        f"{epochs / len(runs):.0f}",
        f"{statistics.fmean(seconds):.1f}{spread}",
        f"{sum(seconds) / epochs:.3g}" if epochs else "",
        f"{max(peaks) / 1e9:.2f}" if peaks else "",
        ", ".join(dict.fromkeys(str(run.threads) for run in runs)),
    )
