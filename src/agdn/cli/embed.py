"""``agdn embed``: node embeddings of a finished run."""

from __future__ import annotations

from pathlib import Path

import click

from agdn.cli.options import JSON
from agdn.cli.printing import print_json


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="A .npy, .csv or .parquet file.")
@click.option("--layer", type=int, help="0 is the input of the first layer; by default the last before the output.")
@JSON
def embed(folder: Path, out: Path, layer: int | None, as_json: bool) -> None:
    """Write what the model of RUN knows about every node of its data in front of its output, or after a layer.

    A .npy file holds the values, a row a node; .csv and .parquet have the ids in front.
    """
    from agdn.experiments.embeddings import check_suffix
    from agdn.experiments.load import load

    check_suffix(out)
    embeddings = load(folder).embed(layer)
    embeddings.write(out)
    rows, columns = embeddings.values.shape
    if as_json:
        print_json({"file": str(out), "rows": rows, "columns": columns, "layer": embeddings.layer})
    else:
        click.echo(f"{out}: {rows:,} nodes, {columns} numbers each, from layer {embeddings.layer}")
