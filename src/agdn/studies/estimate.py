"""How long a study will take: a few epochs of every experiment that is still to be run."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agdn.experiments.experiment import Experiment
from agdn.experiments.measured import fingerprint
from agdn.experiments.run_folder import write_json
from agdn.studies.carrying_out import Plan
from agdn.studies.study import Cell
from agdn.training.epoch import Epoch
from agdn.training.run import train

TIMED = 2  # epochs, after one that is not timed
TIMINGS = "timings.json"


@dataclass(frozen=True)
class Estimate:
    """``seconds`` of all runs that are pending, one after another; patience may end them sooner."""

    runs: int
    finished: int
    seconds: float

    def to_json(self) -> dict[str, float]:
        return {"runs": self.runs, "finished": self.finished, "hours": self.seconds / 3600}


def estimated(plan: Plan, said: Callable[[str], None] = lambda line: None) -> Estimate:
    """Times are kept in the study's folder, so that an estimate that was stopped goes on."""
    if plan.study.work == "measure":
        raise ValueError(f"the study {plan.study.name} measures a few steps itself, so there is no estimate of it")
    path = plan.folder / TIMINGS
    timings: dict[str, list[float]] = json.loads(path.read_bytes()) if path.is_file() else {}
    pending, seconds = plan.pending(), 0.0
    for cell, _ in pending:
        key = fingerprint(cell.config)
        if key not in timings:
            timings[key] = list(_timed(cell, plan.seeds[0]))
            plan.folder.mkdir(parents=True, exist_ok=True)
            write_json(path, timings)
            said(f"{cell.config.name}: {timings[key][1]:.3g} s an epoch")
        start, epoch = timings[key]
        seconds += start + epoch * cell.config.training.epochs
    return Estimate(plan.runs, plan.runs - len(pending), seconds)


def _timed(cell: Cell, seed: int) -> tuple[float, float]:
    """Seconds until the first epoch begins, and of an epoch."""
    begin = time.perf_counter()
    config = cell.config.model_copy(update={"task": cell.config.task.model_copy(update={"distillation": None})})
    built = Experiment(config, seed, Path()).assemble()  # a teacher, which may not be there yet, costs next to nothing
    start = time.perf_counter() - begin
    epochs = min(1 + TIMED, cell.config.training.epochs)
    settings = cell.config.training.model_copy(update={"epochs": epochs, "patience": None})
    seconds: list[float] = []

    def watch(records: Iterator[Epoch]) -> Iterator[Epoch]:
        for record in records:
            seconds.append(record.seconds)
            yield record

    trained = train(built.model, built.task, built.inputs, settings, watch=watch)
    return start, statistics.median(seconds[1:] or seconds or [trained.seconds])
