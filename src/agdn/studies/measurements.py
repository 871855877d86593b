"""Measurements of a study's cells, one process each, one after another; those that were made are kept."""

from __future__ import annotations

import json
from collections.abc import Callable
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
    """What was measured of a cell; None where nothing was, or of another configuration."""
    path = measurement_file(folder, cell)
    if not path.is_file():
        return None
    content = json.loads(path.read_bytes())
    found: dict[str, Any] | None = content["found"] if content["settings"] == fingerprint(cell.config) else None
    return found


def measure(folder: Path, cell: Cell, seed: int, told: Callable[[str], None]) -> None:
    """Measure a cell and keep what came out, also that it did not fit into the memory."""
    config = cell.config
    threads = config.threads or threads_each(1)
    with caught() as stop:
        process = WorkerProcess("agdn.studies.measuring", threads)
        try:
            order = config.model_copy(update={"threads": threads}).model_dump(mode="json")
            process.send({"config": order, "seed": seed, "steps": STEPS})
            answer = process.receive()
        finally:
            process.close()
        if stop.signal is not None:
            raise Interrupted(stop.signal, 0)
    if answer is None:
        found: dict[str, Any] = {"failed": f"the process ended with {process.how_it_ended()}"}
    elif "measured" in answer:
        found = answer["measured"]
    elif "failed" in answer:
        found = {"failed": answer["failed"]}
    else:
        raise_failure(answer)
        return
    path = measurement_file(folder, cell)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {"settings": fingerprint(config), "found": found})
    seconds = found.get("step seconds")
    told(f"{config.name}: " + (found.get("failed") or f"{seconds or 0:.3g} s a step"))
