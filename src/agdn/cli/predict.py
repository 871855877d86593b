"""``agdn predict``: a finished run's predictions as a table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import click

from agdn.cli.options import JSON, MEMORY
from agdn.cli.printing import print_json, progress_bars


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option("--nodes", type=click.Path(path_type=Path), help="New nodes, with the columns that were imported.")
@click.option("--edges", type=click.Path(path_type=Path), help="Edges among them, or to nodes of the old data.")
@click.option("--top-k", type=click.IntRange(min=1), help="New links of every node, of a run that learnt links.  [20]")
@click.option(
    "--candidates",
    type=click.Choice(["auto", "all", "near"]),
    help="Which pairs may become links: all, those near each other, or (auto) all where they are not too many.",
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="A .csv or .parquet file.")
@MEMORY
@JSON
def predict(
    folder: Path,
    nodes: Path | None,
    edges: Path | None,
    top_k: int | None,
    candidates: Literal["auto", "all", "near"] | None,
    out: Path,
    memory: str | None,
    as_json: bool,
) -> None:
    """Write what the model of RUN says about every node of its data, or about the nodes of new tables.

    Columns: id, prediction, a probability a class, and where nodes weigh their hops themselves (HA) these weights.
    Of a run that learnt links: source, rank, target, score, the likeliest links of every node that are not there yet.
    """
    from agdn.experiments.load import load
    from agdn.experiments.prediction import check_suffix
    from agdn.experiments.trained_links import TrainedLinks

    check_suffix(out)
    with progress_bars() as bars:
        trained = load(folder, memory=memory, watch=bars.update)
        if isinstance(trained, TrainedLinks):
            if nodes is not None or edges is not None:
                raise ValueError(f"{folder} predicts links among the nodes of its data; it takes no new tables")
            links = trained.predict(top_k or 20, candidates=candidates or "auto")
    if isinstance(trained, TrainedLinks):
        links.write(out)
        _say(out, links.columns, f"links of {len(set(links.columns['source'])):,} nodes, among {links.said}", as_json)
        return
    if top_k is not None or candidates is not None:
        raise ValueError(f"{folder} predicts something about nodes; --top-k and --candidates are for links")
    predictions = trained.predict(nodes, edges)
    predictions.write(out)
    _say(out, predictions.columns, "nodes", as_json)


def _say(out: Path, columns: Mapping[str, list[Any]], what: str, as_json: bool) -> None:
    rows = len(next(iter(columns.values())))
    if as_json:
        print_json({"file": str(out), "rows": rows, "columns": list(columns)})
    else:
        click.echo(f"{out}: {rows:,} {what}, columns {', '.join(columns)}")
