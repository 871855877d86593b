"""``agdn predict``: a finished run's predictions as a table."""

from __future__ import annotations

from pathlib import Path

import click

from agdn.cli.options import JSON, MEMORY
from agdn.cli.printing import print_json


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option("--nodes", type=click.Path(path_type=Path), help="New nodes, with the columns that were imported.")
@click.option("--edges", type=click.Path(path_type=Path), help="Edges among them, or to nodes of the old data.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="A .csv or .parquet file.")
@MEMORY
@JSON
def predict(folder: Path, nodes: Path | None, edges: Path | None, out: Path, memory: str | None, as_json: bool) -> None:
    """Write what the model of RUN says about every node of its data, or about the nodes of new tables.

    Columns: id, prediction, a probability a class, and where nodes weigh their hops themselves (HA) these weights.
    """
    from agdn.experiments.load import load
    from agdn.experiments.prediction import check_suffix

    check_suffix(out)
    predictions = load(folder, memory=memory).predict(nodes, edges)
    predictions.write(out)
    columns = list(predictions.columns)
    rows = len(predictions.columns["id"])
    if as_json:
        print_json({"file": str(out), "rows": rows, "columns": columns})
    else:
        click.echo(f"{out}: {rows:,} nodes, columns {', '.join(columns)}")
