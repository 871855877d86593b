"""A process that works for the one that started it: one JSON line in, one JSON line out, and questions in between.

It speaks over pipes and not through ``multiprocessing``, so a user's script needs no guard around its main part, and
nothing that can run code travels between the processes. When its starter is gone it ends at once: a run never goes on
behind the back of the one that resumes it.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TextIO

from agdn.experiments.own_parts import import_own_parts
from agdn.ops import reuse_freed_memory
from agdn.training.signals import Interrupted, Stop, caught


@dataclass(frozen=True)
class Exchange:
    """The way back to the starter while an order is worked on."""

    lines: queue.Queue[str | None]
    answers: TextIO
    stop: Stop

    def send(self, message: dict[str, Any]) -> None:
        try:
            self.answers.write(json.dumps(message) + "\n")
            self.answers.flush()
        except BrokenPipeError:  # the starter was killed a moment ago
            os._exit(1)

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Wait for the reply."""
        self.send(question)
        line = self.lines.get()
        assert line is not None, "the input ended, and so should this process have"
        reply: dict[str, Any] = json.loads(line)
        return reply


Work = Callable[[dict[str, Any], Exchange], dict[str, Any]]


def serve(work: Work) -> None:
    """Work on orders until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what anything prints goes to standard error, not among the answers
    lines: queue.Queue[str | None] = queue.Queue()
    idle = threading.Event()
    idle.set()
    threading.Thread(target=_listen, args=(lines, idle), daemon=True).start()
    reuse_freed_memory()
    import_own_parts()
    with caught() as stop:
        exchange = Exchange(lines, answers, stop)
        while (line := lines.get()) is not None:
            idle.clear()
            answer = _answer(work, json.loads(line), exchange)
            idle.set()
            exchange.send(answer)


def _listen(lines: queue.Queue[str | None], idle: threading.Event) -> None:
    for line in sys.stdin:
        lines.put(line)
    if not idle.is_set():
        os._exit(1)
    lines.put(None)


def _answer(work: Work, order: dict[str, Any], exchange: Exchange) -> dict[str, Any]:
    """What became of an order; a user's mistake and a signal are told apart from a bug."""
    if exchange.stop.signal is not None:
        return {"signal": exchange.stop.signal, "epoch": 0}
    try:
        return work(order, exchange)
    except Interrupted as interrupted:
        return {"signal": int(interrupted.signal), "epoch": interrupted.epoch}
    except ValueError as error:
        return {"mistake": str(error)}
    except OSError as error:
        return {"file": error.filename, "errno": error.errno, "reason": error.strerror or str(error)}
    except Exception as error:
        return {"bug": traceback.format_exc(), "error": traceback.format_exception_only(error)[0].splitlines()[0]}
