"""``agdn evaluate``: score finished runs again, from their stored models."""

from __future__ import annotations

from pathlib import Path

import click

from agdn.cli.options import JSON, MEMORY
from agdn.cli.printing import print_json, print_table, progress_bars


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option(
    "--hard-negatives",
    type=click.IntRange(min=2),
    metavar="N",
    help="Rank every link among N negatives of its own too, which look linked.",
)
@MEMORY
@JSON
def evaluate(folder: Path, hard_negatives: int | None, memory: str | None, as_json: bool) -> None:
    """Score the model of RUN, a run folder or the folder of several seeds, on train, valid and test nodes or links."""
    from agdn.experiments.load import load
    from agdn.experiments.result import SHARES, Run, runs_in
    from agdn.experiments.trained_links import TrainedLinks

    def scores_of(run: Run) -> dict[str, dict[str, float]]:
        trained = load(run, memory=memory, watch=bars.update)
        if isinstance(trained, TrainedLinks):
            return trained.evaluate(hard_negatives=hard_negatives)
        if hard_negatives is not None:
            raise ValueError(f"{run.folder} predicts something about nodes; --hard-negatives is for links")
        return trained.evaluate()

    with progress_bars() as bars:
        scored = [(run, scores_of(run)) for run in runs_in(folder)]
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
