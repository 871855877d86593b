"""Tables for people on a terminal, plain text in a pipe, JSON where it is asked for."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A ruled table on a terminal; elsewhere tab-separated lines under the title."""
    if not sys.stdout.isatty():
        click.echo(title)
        for row in (header, *rows):
            click.echo("\t".join(row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*header, title=Text(title), title_justify="left")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def print_json(content: Any) -> None:
    click.echo(json.dumps(content, indent=1, ensure_ascii=False))


class Bars:
    """Progress bars by name, on a terminal only."""

    def __init__(self, progress: Any | None) -> None:
        self._progress = progress
        self._tasks: dict[str, Any] = {}

    def update(self, name: str, done: float, total: float | None = 1.0) -> None:
        if self._progress is None:
            return
        if name not in self._tasks:
            self._tasks[name] = self._progress.add_task(name, total=total)
        self._progress.update(self._tasks[name], completed=done, total=total)


@contextmanager
def progress_bars() -> Iterator[Bars]:
    """Bars on standard error while the block runs."""
    if not sys.stderr.isatty():
        yield Bars(None)
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        yield Bars(progress)
