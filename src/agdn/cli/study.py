"""``agdn study``: one of the paper's studies, from its settings to a page."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agdn.cli.options import JSON
from agdn.cli.printing import print_json, print_table
from agdn.cli.train import resume_command

if TYPE_CHECKING:
    from agdn.studies.carrying_out import Plan
    from agdn.studies.estimate import Estimate

PATH = click.Path(path_type=Path)


@click.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting of the study, such as hops=[1,4,8], or a key of all its recipes, such as training.epochs=100.",
)
@click.option("--seeds", help="Which seeds: 0-9, or 0,3,5; by default the study's own.")
@click.option("--data", type=PATH, help="Folder of the data sets; by default $AGDN_DATA.")
@click.option("--out", type=PATH, default="studies", show_default=True, help="Where studies are kept: OUT/NAME.")
@click.option(
    "--kept",
    type=PATH,
    metavar="FILE.jsonl",
    help="Records of runs, added to; what is in it is not run again, wherever its folder is.",
)
@click.option("--resume", is_flag=True, help="Go on with runs that were stopped.")
@click.option("--jobs", type=int, help="Runs at a time; by default as many as cores and memory allow.")
@click.option("--dry-run", is_flag=True, help="Say which runs there would be, and run none.")
@click.option("--estimate", is_flag=True, help="Time a few epochs of each experiment and say how long all would take.")
@click.option("--finished", is_flag=True, help="Write the page of the runs that are finished, and run none.")
@click.option("--quiet", is_flag=True, help="No progress.")
@JSON
def study(
    name: str,
    changes: tuple[str, ...],
    seeds: str | None,
    data: Path | None,
    out: Path,
    kept: Path | None,
    resume: bool,
    jobs: int | None,
    dry_run: bool,
    estimate: bool,
    finished: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Run the study NAME (see agdn list studies) and write its tables, figures and page to OUT/NAME.

    Runs are kept as those of agdn train: what is finished is not run again, what was stopped goes on with --resume.
    """
    from agdn.experiments.seeds import parse_seeds
    from agdn.ops import reuse_freed_memory
    from agdn.studies.carrying_out import carry_out, planned, record_finished
    from agdn.studies.estimate import estimated
    from agdn.studies.registry import study_named
    from agdn.studies.writing import write_study
    from agdn.training.signals import Interrupted

    if sum((dry_run, estimate, finished)) > 1:
        raise ValueError("--dry-run, --estimate and --finished each do something else than run; give one of them")
    found = study_named(name)
    plan = planned(found, changes, seeds=parse_seeds(seeds or found.seeds), data=data, out=out, kept=kept)
    reuse_freed_memory()
    if dry_run:
        _print_plan(plan, as_json)
        return

    def told(line: str) -> None:
        if not quiet:
            click.echo(line, err=True)

    if estimate:
        _print_estimate(estimated(plan, told), as_json)
        return
    failures: list[str] = []
    if not finished:
        try:
            failures = carry_out(plan, resume=resume, jobs=jobs, progress=not quiet, told=told)
        except Interrupted as interrupted:
            click.echo(f"agdn: {interrupted}; go on with: {resume_command()}", err=True)
            sys.exit(interrupted.exit_code)
    record_finished(plan)
    chosen = ["--seeds", seeds] if seeds else []
    command = shlex.join(["agdn", "study", name, *(word for change in changes for word in ("--set", change)), *chosen])
    page, pending = write_study(plan, command=command, failures=failures), len(plan.pending())
    if as_json:
        print_json({"page": str(page), "runs": plan.runs, "pending": pending, "failures": failures})
    else:
        failed = f"; {len(failures)} could not be trained" if failures else ""
        click.echo(f"{page}: {plan.runs - pending} runs, figures and tables beside it{failed}")
    if failures:
        if quiet:
            click.echo("\n".join(failures), err=True)
        sys.exit(1)


def _print_plan(plan: Plan, as_json: bool) -> None:
    pending = plan.pending()
    if as_json:
        print_json([{"name": cell.config.name, "facts": dict(cell.facts)} for cell in plan.cells])
        return
    left = [cell.config.name for cell, _ in pending]
    rows = [(cell.config.name, str(len(plan.seeds)), str(left.count(cell.config.name))) for cell in plan.cells]
    print_table(f"study {plan.study.name}", ("experiment", "seeds", "to do"), rows)
    click.echo(f"{len(plan.cells)} experiments, {plan.runs} runs, {len(pending)} to do")


def _print_estimate(said: Estimate, as_json: bool) -> None:
    if as_json:
        print_json(said.to_json())
        return
    click.echo(
        f"{said.runs} runs, {said.finished} finished; the others take about {said.seconds / 3600:.2f} hours one after "
        "another, less where patience ends them"
    )
