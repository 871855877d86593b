"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path

import click

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
MEMORY = click.option(
    "--memory",
    metavar="AMOUNT",
    help="Compute layer by layer, with no more than this (8GB) of hidden states in memory; the others go to files.",
)
DATA_ROOT = click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False),
    help="Data folder; by default $AGDN_DATA, else ~/.cache/agdn/data.",
)
