"""Options that several commands have."""

from __future__ import annotations

import click

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
MEMORY = click.option(
    "--memory",
    metavar="AMOUNT",
    help="Compute layer by layer, with no more than this (8GB) of hidden states in memory; the others go to files.",
)
