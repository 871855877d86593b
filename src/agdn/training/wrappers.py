"""What a run does with its epochs: each function takes an iterator of epochs and passes them on."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from io import RawIOBase
from pathlib import Path
from typing import Any

from agdn.data.atomic import write_bytes
from agdn.training import checkpoint
from agdn.training.epoch import Epoch
from agdn.training.errors import LostRank, TrainingError
from agdn.training.peers import ALONE, Peers
from agdn.training.signals import Interrupted, Stop
from agdn.training.state import State


def keep_best(epochs: Iterator[Epoch], state: State) -> Iterator[Epoch]:
    """Keep a copy of the weights of the best epoch in ``state``."""
    for epoch in epochs:
        if epoch.is_best and state.best is not None:
            state.best = replace(state.best, weights=state.weights())
        yield epoch


def patience(epochs: Iterator[Epoch], state: State, limit: int) -> Iterator[Epoch]:
    """End after ``limit`` epochs without a new best one; asked before each epoch, so that a resumed run ends too."""
    while state.best is None or state.epoch - state.best.epoch < limit:
        epoch = next(epochs, None)
        if epoch is None:
            return
        yield epoch


def log_jsonl(epochs: Iterator[Epoch], path: Path, state: State) -> Iterator[Epoch]:
    """One line of JSON an epoch. Lines beyond the epoch that ``state`` resumes from are dropped: they come again."""
    write_bytes(path, b"".join(row + b"\n" for row in _rows_up_to(path, state.epoch)))
    with path.open("ab", buffering=0) as file:
        for epoch in epochs:
            _write_row(file, path, json.dumps(epoch.to_json()).encode() + b"\n")
            yield epoch


class Checkpoints:
    """Saves a state every ``seconds``, after the last epoch, and when asked to stop: then it raises Interrupted.

    Without a ``folder`` nothing is saved; the process only stops together with its ``peers``.
    """

    def __init__(
        self,
        state: State,
        folder: Path | None,
        *,
        seconds: float = 30.0,
        stop: Stop | None = None,
        peers: Peers = ALONE,
    ) -> None:
        self.state, self.folder, self.seconds, self.stop, self.peers = state, folder, seconds, stop, peers
        self._place, self._time = state.place, time.monotonic()

    def visit(self) -> None:
        """Where the state is whole: after an epoch, or between two steps of one."""
        try:
            asked = self.peers.signal(None if self.stop is None else self.stop.signal)
        except LostRank:  # the state is whole, and what comes next cannot be computed
            if self.state.place != self._place:
                self._save()
            raise
        if asked is not None or time.monotonic() - self._time >= self.seconds:
            self._save()
        if asked is not None:
            raise Interrupted(asked, *self.state.place)

    def around(self, epochs: Iterator[Epoch]) -> Iterator[Epoch]:
        for epoch in epochs:
            self.visit()
            yield epoch
        if self.state.place != self._place:
            self._save()

    def _save(self) -> None:
        if self.folder is not None:
            checkpoint.save(self.folder, self.state)
        self._place, self._time = self.state.place, time.monotonic()


def tensorboard(epochs: Iterator[Epoch], folder: Path) -> Iterator[Epoch]:
    """Curves of the losses, the rate and the scores for TensorBoard, where it is installed."""
    writer = _summary_writer(folder)
    try:
        for epoch in epochs:
            scalars: dict[str, float | None] = {
                "loss/train": epoch.loss,
                "loss/valid": epoch.valid_loss,
                "lr": epoch.lr,
            }
            for part in ("train", "valid", "test"):
                scalars |= {f"{name}/{part}": score for name, score in (getattr(epoch, part) or {}).items()}
            for name, value in scalars.items():
                if value is not None:
                    writer.add_scalar(name, value, epoch.epoch)
            yield epoch
    finally:
        writer.close()


def _write_row(file: RawIOBase, path: Path, row: bytes) -> None:
    """All of it or an error that names the file; half a row is dropped when the run goes on."""
    try:
        written = file.write(row)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    if written != len(row):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


def _rows_up_to(path: Path, last: int) -> list[bytes]:
    """The lines of a log that are whole and belong to epochs up to ``last``."""
    rows = path.read_bytes().split(b"\n") if path.exists() else []
    kept = []
    for row in rows:
        try:
            number = json.loads(row)["epoch"]
        except (ValueError, KeyError, TypeError):
            continue
        if isinstance(number, int) and number <= last:
            kept.append(row)
    return kept


def _summary_writer(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise TrainingError(
            "curves for TensorBoard need the package tensorboard; install it or leave them off"
        ) from None
    return SummaryWriter(str(folder))
