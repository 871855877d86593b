"""Asked to stop, a run finishes its step, saves and goes; asked twice, it goes at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


class Interrupted(Exception):
    """The run was asked to stop and has saved its state."""

    def __init__(self, number: int, epoch: int, step: int = 0) -> None:
        self.signal, self.epoch, self.step = signal.Signals(number), epoch, step
        place = f"epoch {epoch}" + (f" and {step} steps of the next" if step else "")
        super().__init__(f"stopped by {self.signal.name} after {place}; the state is saved")

    @property
    def exit_code(self) -> int:
        """What a shell expects of a process that a signal ended: 143 for SIGTERM, 130 for SIGINT."""
        return 128 + int(self.signal)


@dataclass
class Stop:
    """The signal that asked for an end, if any did."""

    signal: int | None = None


@contextmanager
def caught(*, second_ends: bool = True) -> Iterator[Stop]:
    """SIGTERM and SIGINT only leave a note while the block runs; the second one ends the process. Main thread only.

    Not so with ``second_ends`` false: a rank may be told by the system and by its launcher.
    """
    stop = Stop()

    def note(number: int, frame: FrameType | None) -> None:
        if stop.signal is not None and second_ends:
            os._exit(128 + number)
        stop.signal = stop.signal or number

    previous = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
