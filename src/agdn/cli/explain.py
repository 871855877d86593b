"""``agdn explain``: the neighbours and hops that carried a prediction."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from agdn.cli.options import JSON
from agdn.cli.printing import print_json, print_table


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option("--node", "nodes", multiple=True, required=True, metavar="ID", help="The node to explain; repeatable.")
@click.option(
    "--method",
    type=click.Choice(["walk", "gradients"]),
    help="Walks through the layers, or integrated gradients; by default walks where the model has them.",
)
@click.option("--class", "answer", metavar="NAME", help="The class or task to explain in place of what is predicted.")
@click.option("--top", type=click.IntRange(min=1), default=15, show_default=True, help="Nodes and edges to list.")
@click.option(
    "--draws",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="Random nodes and edges to compare with in the deletion check; 0 leaves it out.",
)
@click.option(
    "--steps", type=click.IntRange(min=1), default=16, show_default=True, help="Points of the integral; gradients only."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default="explain.html",
    show_default=True,
    help="The page; an older explanation is replaced.",
)
@JSON
def explain(
    folder: Path,
    nodes: tuple[str, ...],
    method: Literal["walk", "gradients"] | None,
    answer: str | None,
    top: int,
    draws: int,
    steps: int,
    out: Path,
    as_json: bool,
) -> None:
    """Tell which neighbours, edges and hops carried what the model of RUN predicts for a node, and write a page of it.

    Nodes have the ids of the imported tables, or row numbers. The check takes what is named out of the graph and asks
    again.
    """
    from agdn.experiments.load import load_nodes
    from agdn.explain.deletion import DELETION_HEADER
    from agdn.explain.explanation import explain as explained
    from agdn.explain.page import COMMAND, PART_HEADER, SMOOTHED, part_rows, write_explanations
    from agdn.report.document import require_free

    require_free(out, COMMAND, "explanation")
    trained = load_nodes(folder, "agdn explain")
    found = explained(trained, nodes, method=method, answer=answer, top=top, draws=draws, steps=steps)
    write_explanations(found, out)
    if as_json:
        told = [each.to_json() for each in found.nodes]
        about = {"file": str(out), "method": found.method, "corrected_and_smoothed": found.smoothed}
        print_json({**about, "explanations": told})
        return
    for each in found.nodes:
        print_table(f"node {each.id}: {each.question.answer}, by {found.method}", PART_HEADER, part_rows(each))
        checks = [row for check in each.deletions for row in check.rows()]
        if checks:
            print_table("without what is named, and without random ones", DELETION_HEADER, checks)
    if found.smoothed:
        click.echo(SMOOTHED)
    click.echo(f"{out}: {len(found.nodes)} node{'s' * (len(found.nodes) > 1)}, by {found.method}")
