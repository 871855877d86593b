"""Options that several commands have."""

from __future__ import annotations

import click

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
