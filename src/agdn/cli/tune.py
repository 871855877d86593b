"""``agdn tune``: a recipe and a number of trials to a better recipe."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from agdn.cli.options import JSON
from agdn.cli.printing import print_json, print_table

PATH = click.Path(path_type=Path)


@click.command()
@click.argument("recipes", nargs=-1, required=True, metavar="RECIPE|FILE.yaml|FOLDER...")
@click.option("--trials", default=20, show_default=True, help="Of each recipe in the end, earlier sittings included.")
@click.option("--space", default="usual", show_default=True, help="usual, few-labels, or a .yaml file.")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change a key of the recipe in every trial.")
@click.option("--seeds", default="100,101", show_default=True, help="What trials are trained on.")
@click.option("--finalists", default=3, show_default=True, help="So many of the best are judged again, ...")
@click.option("--final-seeds", default="102-105", show_default=True, help="... on these seeds.")
@click.option("--startup", default=10, show_default=True, help="Settings drawn at random before earlier ones guide.")
@click.option("--seed", default=0, show_default=True, help="Of the draws.")
@click.option("--prune/--no-prune", default=True, show_default=True, help="End trials that lie below the median.")
@click.option("--jobs", default=1, show_default=True, help="Trials at a time.")
@click.option("--data", type=PATH, help="Folder of the data sets; by default $AGDN_DATA.")
@click.option("--out", type=PATH, default="runs", show_default=True, help="Where searches are kept.")
@click.option("--file", type=PATH, help="The journal to go on from; by default OUT/RECIPE/tune.journal.")
@click.option("--best", type=PATH, help="Where the best goes, as a recipe; by default OUT/RECIPE/tuned.yaml.")
@click.option("--quiet", is_flag=True, help="No progress.")
@JSON
def tune(
    recipes: tuple[str, ...],
    trials: int,
    space: str,
    changes: tuple[str, ...],
    seeds: str,
    finalists: int,
    final_seeds: str,
    startup: int,
    seed: int,
    prune: bool,
    jobs: int,
    data: Path | None,
    out: Path,
    file: Path | None,
    best: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Search for better settings of a recipe, and write the best as a recipe that extends it; several get equal effort.

    Trials are judged on validation nodes; test nodes are not looked at. Stopped or killed, the same command goes on:
    trials that were done are kept.
    """
    if find_spec("optuna") is None:
        raise ValueError("the search needs Optuna; install it with: pip install 'agdn[tune]'")
    from agdn.experiments.seeds import parse_seeds
    from agdn.search.found import Trial
    from agdn.search.plan import Effort, planned
    from agdn.search.table import counts_line, ended_line, importance_table, trials_table
    from agdn.search.tuning import tune as tuned
    from agdn.training.signals import Interrupted

    if best is not None and len(recipes) > 1:
        raise ValueError("--best names one file; leave it out with several recipes")
    effort = Effort(trials, parse_seeds(seeds), finalists, parse_seeds(final_seeds), startup, seed, prune, jobs)
    plans = [
        planned(recipe, effort, space=space, changes=changes, data=data, out=out, file=file, best=best)
        for recipe in recipes
    ]
    names = [plan.name for plan in plans]
    if len(set(names)) < len(names):
        raise ValueError(f"two of the recipes have the name {max(names, key=names.count)!r}; give each its own")

    found = []
    for plan in plans:

        def told(metric: str, trial: Trial, name: str = plan.name) -> None:
            if not quiet:
                click.echo(f"{name} {ended_line(metric, trial)}", err=True)

        try:
            found.append(tuned(plan, told))
        except Interrupted as interrupted:
            command = shlex.join(["agdn", *sys.argv[1:]])
            name = interrupted.signal.name
            click.echo(f"agdn: stopped by {name}; finished trials are kept, go on with: {command}", err=True)
            sys.exit(interrupted.exit_code)
    if as_json:
        print_json([each.to_json() for each in found])
        return
    for each in found:
        print_table(each.name, *trials_table(each))
        if each.importance:
            print_table(f"{each.name}: what matters", *importance_table(each))
        click.echo(counts_line(each))
