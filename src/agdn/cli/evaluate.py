"""``agdn evaluate``: score finished runs again, from their stored models."""

from __future__ import annotations

from pathlib import Path

import click

from agdn.cli.options import JSON, MEMORY
from agdn.cli.printing import print_json, print_table, progress_bars


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@MEMORY
@JSON
def evaluate(folder: Path, memory: str | None, as_json: bool) -> None:
    """Score the model of RUN, a run folder or the folder of several seeds, on train, valid and test nodes or links."""
    from agdn.experiments.load import load
    from agdn.experiments.result import SHARES, runs_in

    with progress_bars() as bars:
        scored = [(run, load(run, memory=memory, watch=bars.update).evaluate()) for run in runs_in(folder)]
    if as_json:
        print_json([{"folder": str(run.folder), "seed": run.seed, "scores": scores} for run, scores in scored])
        return
    rows = [
        (str(run.seed), part, metric, f"{100 * value:.2f} %" if metric in SHARES else f"{value:.4f}")
        for run, scores in scored
        for part, by_metric in scores.items()
        for metric, value in by_metric.items()
    ]
    print_table(scored[0][0].name, ("seed", "part", "metric", "score"), rows)
