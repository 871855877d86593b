"""Measurements of a study's cells, one process each, one after another; those that were made are kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

from agdn.experiments.jobs import threads_each
from agdn.experiments.measured import fingerprint
from agdn.experiments.run_folder import write_json
from agdn.experiments.worker_process import WorkerProcess, raise_failure
from agdn.studies.study import Cell
from agdn.training.signals import Interrupted, caught

STEPS = 3


def measurement_file(folder: Path, cell: Cell) -> Path:
    return folder / "measured" / f"{cell.config.name.replace('/', '-')}.json"


def read_measurement(folder: Path, cell: Cell) -> dict[str, Any] | None:
    """What was measured of a cell; None where nothing was, or with other settings, threads or versions."""
    path = measurement_file(folder, cell)
    if not path.is_file():
        return None
    content = json.loads(path.read_bytes())
    found: dict[str, Any] = content.pop("found")
    return found if content == _circumstances(cell) else None


def _circumstances(cell: Cell) -> dict[str, Any]:
    """What times and memory depend on, as far as it can be told."""
    return {
        "settings": fingerprint(cell.config),
        "threads": _threads(cell),
        "versions": {name: metadata.version(name) for name in ("agdn", "torch")},
    }


def _threads(cell: Cell) -> int:
    return cell.config.threads or threads_each(1)


def measure(folder: Path, cell: Cell, seed: int, told: Callable[[str], None]) -> None:
    """Measure a cell and keep what came out, also that it did not fit into the memory."""
    config, threads = cell.config, _threads(cell)
    with caught() as stop:
        process = WorkerProcess("agdn.studies.measuring", threads)
        try:
            order = config.model_copy(update={"threads": threads}).model_dump(mode="json")
            process.send({"config": order, "seed": seed, "steps": STEPS})
            answer = process.receive()
        finally:
            process.close()
        if stop.signal is not None and (answer is None or "measured" not in answer):
            raise _stopped(stop.signal)
    if answer is None:
        found: dict[str, Any] = {"failed": f"the process ended with {process.how_it_ended()}"}
    elif "measured" in answer or "failed" in answer:
        found = answer.get("measured") or {"failed": answer["failed"]}
    else:
        raise_failure(answer)
        return
    path = measurement_file(folder, cell)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {**_circumstances(cell), "found": found})
    seconds = found.get("step seconds")
    told(f"{config.name}: " + (found.get("failed") or f"{seconds or 0:.3g} s a step"))
    if stop.signal is not None:
        raise _stopped(stop.signal)


def _stopped(number: int) -> Interrupted:
    interrupted = Interrupted(number, 0)
    interrupted.args = (f"stopped by {interrupted.signal.name}; what was measured is kept",)
    return interrupted
