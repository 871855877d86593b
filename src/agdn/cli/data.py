"""``agdn data``: look at, import and fetch data sets."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from agdn.cli.data_embed import embed
from agdn.cli.options import DATA_ROOT as ROOT
from agdn.cli.options import JSON
from agdn.cli.printing import print_json, print_table, progress_bars


def _names(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(name.strip() for name in value.split(",") if name.strip())


def _fractions(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[float, ...] | None:
    if value is None:
        return None
    try:
        shares = tuple(float(share) for share in value.split(","))
    except ValueError:
        shares = ()
    if len(shares) != 3:
        raise click.BadParameter("give three shares such as 0.6,0.2,0.2", ctx, param)
    return shares


def _columns(name: str, what: str) -> Any:
    return click.option(name, callback=_names, metavar="A,B", help=what)


@click.group()
def data() -> None:
    """Look at, import and fetch data sets."""


@data.command()
@click.argument("name")
@ROOT
@JSON
def check(name: str, root: Path | None, as_json: bool) -> None:
    """Describe the data set NAME (a known name or a stored folder) and list what is wrong with it.

    Exits with 1 where a finding is an error.
    """
    from agdn.data.checks import check_dataset
    from agdn.data.names import load_dataset
    from agdn.data.store import is_stored, open_dataset

    report = check_dataset(open_dataset(name) if is_stored(name) else load_dataset(name, root=root))
    findings = [(found.severity, found.what, found.where, found.remedy) for found in report.findings]
    if as_json:
        keys = ("severity", "what", "where", "remedy")
        print_json({"table": dict(report.table), "findings": [dict(zip(keys, row, strict=True)) for row in findings]})
    else:
        print_table(name, ("property", "value"), report.table)
        if findings:
            print_table("findings", ("severity", "what", "where", "remedy"), findings)
        else:
            click.echo("nothing odd was found")
    if any(found.severity == "error" for found in report.findings):
        sys.exit(1)


@data.command("import")
@click.option("--nodes", type=click.Path(path_type=Path), help="CSV, TSV or Parquet; one row a node.")
@click.option("--edges", type=click.Path(path_type=Path), required=True, help="The same; one row an edge.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to store the dataset in.")
@_columns("--target", "Column or columns to predict; without, links are predicted.")
@click.option("--task", type=click.Choice(["class", "multilabel", "numeric"]), help="What the target is.")
@click.option("--separator", help="Splits one target column into tags.")
@click.option("--id", "id_column", help="Column of node ids.")
@click.option("--source", "source_column", help="Column of the edges' sources.")
@click.option("--destination", "destination_column", help="Column of the edges' destinations.")
@_columns("--numeric", "Columns to take as numbers.")
@_columns("--date", "Columns to take as dates.")
@_columns("--categorical", "Columns to take as categories.")
@_columns("--text", "Columns to take as text.")
@_columns("--ranked", "Columns to take as guesses in order of belief.")
@_columns("--ignore", "Columns to leave out.")
@_columns("--missing", "Words that stand for a missing value, instead of the usual ones.")
@click.option("--one-hot-limit", type=int, default=64, show_default=True, help="More categories are hashed.")
@click.option("--hash-width", type=int, default=64, show_default=True, help="Features of a hashed column.")
@click.option("--text-width", type=int, default=128, show_default=True, help="Features of a text column.")
@click.option(
    "--vocabulary",
    type=click.Choice(["all", "train"]),
    default="all",
    show_default=True,
    help="Rows that give categories and words.",
)
@click.option("--split", "split_column", help="Column that says train, valid or test.")
@click.option(
    "--fractions",
    callback=_fractions,
    metavar="A,B,C",
    default="0.6,0.2,0.2",
    show_default=True,
    help="Shares of train, valid, test.",
)
@click.option("--split-by", type=click.Choice(["random", "stratified", "time"]), help="How the fractions are drawn.")
@click.option("--time", "time_column", help="Column of times, of nodes or (without a target) of edges.")
@click.option("--seed", type=int, default=0, show_default=True, help="Fixes everything that is drawn.")
@click.option("--directed", is_flag=True, help="Keep edges as they stand; otherwise each also runs backwards.")
@click.option("--weight", "weight_column", help="Column of edge weights.")
@_columns("--edge-features", "Columns that become edge attributes.")
@click.option("--metric", help="Name of the score, instead of the usual one for the target.")
@click.option("--name", help="Name of the dataset, instead of that of its folder.")
@JSON
def import_command(nodes: Path | None, edges: Path, out: Path, as_json: bool, **options: Any) -> None:
    """Turn two tables of nodes and edges into a stored dataset, and print what became of each column."""
    from agdn.data.tables import import_tables

    with progress_bars() as bars:
        imported = import_tables(nodes, edges, out=out, progress=bars.update, **options)
    dataset, record = imported.dataset, imported.record
    widths = {
        column: encoder.width
        for transforms in (record.nodes, record.edges)
        if transforms is not None
        for column, encoder in transforms.columns.items()
    }
    roles = [
        (table, role.column, role.role, str(widths.get(role.column, 0)), role.why)
        for table, listed in (("nodes", record.node_roles), ("edges", record.edge_roles))
        for role in listed
    ]
    summary = {
        "name": dataset.name,
        "folder": str(out),
        "nodes": dataset.graph.num_nodes,
        "edges": dataset.graph.num_edges,
        "features": 0 if dataset.x is None else dataset.x.size(1),
        "target": dataset.target,
        "metric": dataset.metric,
        "classes": dataset.num_classes,
    }
    header = ("table", "column", "role", "features", "why")
    if as_json:
        columns = [dict(zip(header, row, strict=True)) for row in roles]
        print_json({**summary, "columns": columns, "remarks": record.remarks, "from_store": imported.from_store})
        return
    print_table("columns", header, roles)
    for remark in record.remarks:
        click.echo(remark)
    print_table("dataset", ("property", "value"), [(key, str(value)) for key, value in summary.items()])
    if imported.from_store:
        click.echo("the same import was stored before and has been opened")
    if dataset.target != "link":
        click.echo(f"train a model on it with: {shlex.join(['agdn', 'train', str(out)])}", err=True)


@data.command()
@click.argument("name")
@ROOT
@click.option("--from-file", type=click.Path(path_type=Path), help="Take the file from here; no network is needed.")
@click.option("--timeout", type=float, default=30.0, show_default=True, help="Seconds to wait for the server.")
def download(name: str, root: Path | None, from_file: Path | None, timeout: float) -> None:
    """Fetch the data set NAME into the data folder; a download that broke off goes on where it stopped."""
    from agdn.data.download import download as fetch_set
    from agdn.data.download import missing_size
    from agdn.data.names import data_root

    folder = data_root(root)
    if from_file is None:
        files, size = missing_size(name, folder, timeout=timeout)
        if files:
            known = "of unknown size" if size is None else f"{size / 2**20:,.1f} MB"
            click.echo(f"{name}: {files} file{'s' * (files > 1)} to fetch, {known}", err=True)
    with progress_bars() as bars:
        fetched = fetch_set(name, folder, from_file=from_file, progress=bars.update, timeout=timeout)
    for file in fetched:
        click.echo(f"{file.path}\t{'was there already' if file.sha256 is None else f'sha256 {file.sha256}'}")


@data.command()
@click.argument("name")
@ROOT
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The .npy file to write.")
@click.option("--parts", callback=_names, default="text,guesses", show_default=True, help="What to make features of.")
@click.option("--width", type=click.IntRange(min=1), default=128, show_default=True, help="Features of the text.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Fixes everything that is drawn."
)
@JSON
def text(name: str, root: Path | None, out: Path, parts: tuple[Any, ...], width: int, seed: int, as_json: bool) -> None:
    """Make node features of the texts about the data set NAME. They are external data, and say so."""
    from agdn.data.names import data_root
    from agdn.data.text import text_features

    features = text_features(name, data_root(root), parts=parts, width=width, seed=seed)
    settings = features.save(out)
    if as_json:
        print_json({**features.settings, "features": str(out), "settings": str(settings)})
        return
    rows = [(part, str(width)) for part, width in features.settings["columns"].items()]
    print_table(f"{out}: {features.x.shape[0]:,} nodes", ("part", "features"), rows)
    click.echo(features.settings["note"])


@data.command()
@click.argument("name", metavar="DATASET|RECIPE")
@ROOT
@click.option("--parts", type=click.IntRange(min=1), required=True, help="One for every process that will train.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to store the parts in.")
@click.option(
    "--by", "how", type=click.Choice(["metis", "random"]), default="metis", show_default=True, help="Who owns a node."
)
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Keys of data:, such as self_loops=add.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Fixes everything that is drawn."
)
@JSON
def partition(
    name: str, root: Path | None, parts: int, out: Path, how: Any, changes: tuple[str, ...], seed: int, as_json: bool
) -> None:
    """Store DATASET in parts, so that each process that trains on it opens its own alone.

    A recipe names its data set and what is done to it. Train with agdn train RECIPE --set data.name=FOLDER --nproc N.
    """
    from agdn.experiments.partitioning import partition_dataset

    with progress_bars() as bars:
        record = partition_dataset(
            name, parts, out, how=how, root=root, changes=changes, seed=seed, progress=bars.update
        )  # fmt: skip
    if as_json:
        print_json(record.model_dump(mode="json"))
        return
    rows = [
        (str(rank), f"{part.nodes:,}", f"{part.edges:,}", f"{part.halo:,}") for rank, part in enumerate(record.parts)
    ]
    print_table(f"{out}: {record.nodes:,} nodes, {record.edges:,} edges", ("part", "nodes", "edges", "halo"), rows)


data.add_command(embed)
