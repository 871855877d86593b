"""How far a run is: a live line on a terminal, a plain one now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TextIO

from agdn.training.epoch import Epoch

PLAIN_SECONDS = 10.0


def progress(
    epochs: Iterator[Epoch], total: int, metric: str, *, label: str = "", stream: TextIO | None = None
) -> Iterator[Epoch]:
    """Show the loss, the validation score of the latest evaluated epoch, and which epoch is the best.

    Test scores are not for watching: who sees them chooses by them.
    """
    stream = sys.stderr if stream is None else stream
    show = _live if stream.isatty() else _plain
    return show(epochs, total, metric, label, stream)


def _live(epochs: Iterator[Epoch], total: int, metric: str, label: str, stream: TextIO) -> Iterator[Epoch]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.text import Text

    columns = (
        TextColumn("{task.fields[label]}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(file=stream), transient=True) as bars:
        bar = bars.add_task("", total=total, label=Text(label).markup)
        shown = _Shown(metric)
        for epoch in epochs:
            bars.update(bar, completed=epoch.epoch, description=Text(shown.line(epoch)).markup)
            yield epoch


def _plain(epochs: Iterator[Epoch], total: int, metric: str, label: str, stream: TextIO) -> Iterator[Epoch]:
    shown, written = _Shown(metric), float("-inf")
    for epoch in epochs:
        line = shown.line(epoch)
        if epoch.epoch == total or time.monotonic() - written >= PLAIN_SECONDS:
            stream.write(f"{label + '  ' if label else ''}epoch {epoch.epoch}/{total}  {line}\n")
            stream.flush()
            written = time.monotonic()
        yield epoch


class _Shown:
    """The score of the latest epoch that was evaluated."""

    def __init__(self, metric: str) -> None:
        self.metric, self.score = metric, ""

    def line(self, epoch: Epoch) -> str:
        if epoch.valid is not None:
            self.score = f"  validation {self.metric} {epoch.valid[self.metric]:.4f}"
        best = f"  best epoch {epoch.best_epoch}" if epoch.best_epoch else ""
        return f"loss {epoch.loss:.4f}{self.score}{best}"
