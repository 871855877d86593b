"""``agdn train``: recipes and seeds to results."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from agdn.cli.options import JSON
from agdn.cli.printing import print_json, print_table


@click.command()
@click.argument("recipes", nargs=-1, required=True, metavar="RECIPE|FILE.yaml|FOLDER...")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change a key, such as model.hops=5.")
@click.option("--seeds", default="0", show_default=True, help="Which seeds: 0-9, or 0,3,5.")
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the data sets; by default $AGDN_DATA.")
@click.option("--out", type=click.Path(path_type=Path), default="runs", show_default=True, help="Where runs are kept.")
@click.option("--resume", is_flag=True, help="Go on with runs that were stopped.")
@click.option("--jobs", type=int, help="Seeds at a time; by default as many as cores and memory allow.")
@click.option(
    "--nproc",
    type=click.IntRange(min=1),
    help="Processes of this machine that share every run; see docs/distributed.md.",
)
@click.option(
    "--max-restarts",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="With --nproc: how often all are started anew when one dies.",
)
@click.option("--device", help="Short for --set device=...: cpu or cuda.")
@click.option(
    "--checkpoint-seconds",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    help="Time between saves of a run.",
)
@click.option(
    "--hide-test",
    is_flag=True,
    help="Print no test score and compare by validation: for choosing settings.",
)
@click.option("--quiet", is_flag=True, help="No progress.")
@JSON
def train(
    recipes: tuple[str, ...],
    changes: tuple[str, ...],
    seeds: str,
    data: Path | None,
    out: Path,
    resume: bool,
    jobs: int | None,
    nproc: int | None,
    max_restarts: int,
    device: str | None,
    checkpoint_seconds: float,
    hide_test: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Train recipes, one run a seed, and print one table. FOLDER is a stored dataset, for which a recipe is at hand.

    A seed that is finished is not run again. Stopped by SIGTERM or Ctrl-C, a run is saved and goes on with --resume.
    Started by torchrun, or with --nproc, several processes share every run.
    """
    from agdn.cli.ranks import as_rank, start_ranks
    from agdn.distributed.world import launched
    from agdn.experiments.recipes import read_recipe
    from agdn.experiments.result import Result, Run, shown
    from agdn.experiments.run import run_all
    from agdn.experiments.seeds import parse_seeds
    from agdn.experiments.tables import results_table
    from agdn.ops import reuse_freed_memory
    from agdn.training.signals import Interrupted

    if hide_test and as_json:
        raise ValueError("--json prints every score; leave out --hide-test, or --json")
    overrides = [*changes, *([f"device={device}"] if device is not None else [])]
    configs = [read_recipe(recipe, overrides) for recipe in recipes]
    if nproc is not None and not launched():
        start_ranks(nproc, configs[0].threads, max_restarts)
    reuse_freed_memory()

    def finished(run: Run) -> None:
        if not quiet:
            part, score = ("validation", run.score("valid")) if hide_test else ("test", run.score("test"))
            told = f"{part} {run.metric} {shown(score, None, run.metric)}"
            click.echo(f"{run.name} seed {run.seed}: {told}, {run.seconds:.1f} s", err=True)

    def trained() -> list[Result]:
        return run_all(
            configs,
            seeds=parse_seeds(seeds),
            data=data,
            out=out,
            resume=resume,
            jobs=jobs,
            progress=not quiet,
            checkpoint_seconds=checkpoint_seconds,
            finished=finished,
        )

    try:
        results = as_rank(trained, configs[0].distributed.timeout) if launched() else trained()
    except Interrupted as interrupted:
        click.echo(f"agdn: {interrupted}; go on with: {resume_command()}", err=True)
        sys.exit(interrupted.exit_code)
    if not results:  # of a rank that is not the first
        return
    if as_json:
        print_json([result.to_json() for result in results])
        return
    print_table("results", *results_table(results, hide_test=hide_test))
    for note in dict.fromkeys(note for result in results for note in result.runs[0].notes):
        click.echo(note)
    if not quiet:
        folders = shlex.join(str(out / result.name) for result in results)
        click.echo(f"look at what came out with: agdn report {folders}", err=True)


def resume_command() -> str:
    """What the user typed, with --resume."""
    words = [word for word in sys.argv[1:] if word != "--resume"]
    return shlex.join(["agdn", *words, "--resume"])
