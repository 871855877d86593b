"""A process that runs seeds: one JSON line in, one JSON line out. ``python -m agdn.experiments.worker``.

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
from pathlib import Path
from typing import Any

from agdn.experiments.config import Config
from agdn.experiments.experiment import Experiment
from agdn.ops import reuse_freed_memory
from agdn.training.signals import Interrupted, caught


def main() -> None:
    """Work until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what anything prints goes to standard error, not among the answers
    orders: queue.Queue[str | None] = queue.Queue()
    idle = threading.Event()
    idle.set()
    threading.Thread(target=_listen, args=(orders, idle), daemon=True).start()
    reuse_freed_memory()
    with caught() as stop:
        while (line := orders.get()) is not None:
            idle.clear()
            answer = _answer(json.loads(line), stop.signal)
            idle.set()
            answers.write(json.dumps(answer) + "\n")
            answers.flush()


def _listen(orders: queue.Queue[str | None], idle: threading.Event) -> None:
    for line in sys.stdin:
        orders.put(line)
    if not idle.is_set():
        os._exit(1)
    orders.put(None)


def _answer(order: dict[str, Any], signalled: int | None) -> dict[str, Any]:
    """What became of an order; a user's mistake and a signal are told apart from a bug."""
    if signalled is not None:
        return {"signal": signalled, "epoch": 0}
    try:
        config = Config.model_validate_json(json.dumps(order["config"]))
        experiment = Experiment(config, order["seed"], Path(order["folder"]))
        experiment.run(resume=order["resume"], checkpoint_seconds=order["checkpoint_seconds"])
    except Interrupted as interrupted:
        return {"signal": int(interrupted.signal), "epoch": interrupted.epoch}
    except ValueError as error:
        return {"mistake": str(error)}
    except OSError as error:
        return {"file": error.filename, "errno": error.errno, "reason": error.strerror or str(error)}
    except Exception:
        return {"bug": traceback.format_exc()}
    return {"done": order["folder"]}


if __name__ == "__main__":
    main()
