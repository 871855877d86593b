"""``agdn report``: finished runs as one page for a browser."""

from __future__ import annotations

from pathlib import Path

import click

from agdn.cli.options import JSON
from agdn.cli.printing import print_json

PATH = click.Path(path_type=Path)


@click.command()
@click.argument("folders", nargs=-1, required=True, type=PATH, metavar="RUN...")
@click.option(
    "--out", type=PATH, default="report.html", show_default=True, help="The page; an older report is replaced."
)
@click.option("--node", "nodes", multiple=True, metavar="ID", help="Show what surrounds this node; repeatable.")
@JSON
def report(folders: tuple[Path, ...], out: Path, nodes: tuple[str, ...], as_json: bool) -> None:
    """Write a page about RUN: run folders, folders of several seeds, or folders of several recipes.

    One HTML file that needs no network: scores beside the published figure, learning curves, what is confused with
    what, calibration, hop weights, mistakes, the graph, time, and how to reproduce it. Several recipes are compared.
    """
    from agdn.report.writing import write_report

    written = write_report(folders, out, nodes=nodes)
    size = out.stat().st_size
    if as_json:
        print_json({"file": str(out), "bytes": size, **written.to_json()})
        return
    for reason in written.missing:
        click.echo(f"without predictions of {reason}", err=True)
    recipes = ", ".join(recipe.label for recipe in written.recipes)
    click.echo(f"{out}: {written.runs} run{'s' * (written.runs > 1)} of {recipes}, {size / 1e6:.2f} MB")
