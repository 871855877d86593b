"""A worker process as its starter sees it, and what its answers mean."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from typing import IO, Any

from agdn.training.signals import Interrupted


class WorkerProcess:
    """A module that serves, and the pipes to it. It has a session of its own: signals reach it through us only."""

    def __init__(self, module: str, threads: int) -> None:
        counts = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), str(threads))
        paths = os.pathsep.join(path for path in sys.path if path)
        self.process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
            env={**os.environ, **counts, "PYTHONPATH": paths},
        )

    @property
    def answers(self) -> IO[str]:
        assert self.process.stdout is not None
        return self.process.stdout

    def send(self, message: dict[str, Any]) -> None:
        """To one that has ended it is sent in vain; that is noticed when nothing is received."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()

    def receive(self) -> dict[str, Any] | None:
        """The next message; None of a process that has ended."""
        line = self.answers.readline()
        if not line.endswith("\n"):
            return None
        message: dict[str, Any] = json.loads(line)
        return message

    def how_it_ended(self) -> str:
        code = self.process.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def close(self) -> None:
        """Its input ends, and so does it."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # of one that has ended before
            self.process.stdin.close()
        self.process.wait()
        self.answers.close()


def raise_failure(answer: dict[str, Any]) -> None:
    """An answer that is none, as the error that it would have been here."""
    if "signal" in answer:
        raise Interrupted(answer["signal"], answer["epoch"])
    if "mistake" in answer:
        raise ValueError(answer["mistake"])
    if "errno" in answer:
        raise OSError(answer["errno"], answer["reason"], answer["file"])
    raise RuntimeError(f"a run failed in its own process:\n{answer['bug']}")
