"""A study's cells and seeds -> outcomes; what is finished is not done again."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agdn.experiments.config import Config
from agdn.experiments.experiment import Experiment
from agdn.experiments.load import load_nodes
from agdn.experiments.result import Run, read_run, shown
from agdn.experiments.run import located, run_all
from agdn.experiments.run_folder import is_finished, same_config, seed_folder, write_json
from agdn.experiments.section import Section
from agdn.studies.kept import Kept
from agdn.studies.measurements import measure, read_measurement
from agdn.studies.settings import divided
from agdn.studies.study import Cell, Outcome, Study

RUNS = "runs"


@dataclass(frozen=True)
class Plan:
    """A study with its settings, and where it lies: ``<out>/<study>``; runs may be on record in a file too."""

    study: Study
    settings: Section
    cells: tuple[Cell, ...]
    seeds: tuple[int, ...]
    folder: Path
    kept: Kept | None = None
    _checked: set[Path] = field(default_factory=set, compare=False)

    def place(self, cell: Cell, seed: int) -> Path:
        return seed_folder(self.folder / RUNS, cell.config.name, seed)

    def pending(self) -> list[tuple[Cell, int]]:
        """Cells and seeds that are not finished."""
        return [(cell, seed) for cell in self.cells for seed in self.seeds if not self.is_done(cell, seed)]

    @property
    def runs(self) -> int:
        return len(self.cells) * len(self.seeds)

    def is_done(self, cell: Cell, seed: int) -> bool:
        """An error where the place is taken by a run of other settings."""
        if self.study.work == "measure":
            return read_measurement(self.folder, cell) is not None
        return self.is_here(cell, seed) or (self.kept is not None and self.kept.find(cell, seed) is not None)

    def is_here(self, cell: Cell, seed: int) -> bool:
        """Whether its run lies in the study's folder, finished."""
        folder = self.place(cell, seed)
        if not is_finished(folder):
            return False
        if folder not in self._checked:
            same_config(folder, cell.config)
            self._checked.add(folder)
        return True


def planned(
    study: Study,
    assignments: Sequence[str],
    *,
    seeds: Sequence[int],
    data: Path | None = None,
    out: Path,
    kept: Path | None = None,
) -> Plan:
    """What ``agdn study`` is to do."""
    settings, changes = divided(study, assignments)
    cells = study.cells(settings, changes)
    if not cells:
        raise ValueError(f"with these settings the study {study.name} has no experiments")
    found = tuple(Cell(cell.facts, located(cell.config, data)) for cell in cells)
    names = [cell.config.name for cell in found]
    if len(set(names)) < len(names):
        raise ValueError(f"two experiments of the study {study.name} are the same: {max(names, key=names.count)}")
    if study.work == "measure" and len(seeds) > 1:
        raise ValueError(f"the study {study.name} measures time and memory, which seeds do not change; give one seed")
    if study.work == "measure" and kept is not None:
        raise ValueError(f"the study {study.name} measures this machine; records are kept of runs, leave out --kept")
    return Plan(study, settings, found, tuple(seeds), out / study.name, None if kept is None else Kept(kept))


def carry_out(
    plan: Plan,
    *,
    resume: bool = False,
    jobs: int | None = None,
    progress: bool = True,
    checkpoint_seconds: float = 30.0,
    told: Callable[[str], None] = lambda line: None,
) -> list[str]:
    """Run every cell on every seed to its end, or measure it; ``told`` gets a line about each.

    Returns what could not be trained, a sentence each: where others can, the study goes on without it.
    """
    if plan.study.work == "measure":
        if jobs not in (None, 1):
            raise ValueError(f"the study {plan.study.name} measures one experiment after another; leave out --jobs")
        _measure_all(plan, resume, told)
        return []
    errors: list[ValueError] = []
    failures: list[str] = []

    def failed(experiment: Experiment, error: ValueError) -> None:
        errors.append(error)
        failures.append(f"{experiment.config.name} seed {experiment.seed}: {error}")
        told(failures[-1])

    def finished(run: Run) -> None:
        record(plan, run)
        scores = shown(run.score("test"), None, run.metric)
        told(f"{run.name} seed {run.seed}: test {run.metric} {scores}, {run.seconds:.1f} s")

    for seeds, configs in _by_seeds(plan.pending()).items():
        run_all(
            configs,
            seeds=seeds,
            out=plan.folder / RUNS,
            resume=resume,
            jobs=jobs,
            progress=progress,
            checkpoint_seconds=checkpoint_seconds,
            finished=finished,
            failed=failed,
        )
    if errors and len(plan.pending()) == plan.runs:
        raise errors[0]
    return failures


def _by_seeds(pending: Sequence[tuple[Cell, int]]) -> dict[tuple[int, ...], list[Config]]:
    """Configurations that want the same seeds are run together."""
    seeds: dict[str, tuple[int, ...]] = {}
    configs: dict[str, Config] = {}
    for cell, seed in pending:
        name = cell.config.name
        seeds[name], configs[name] = (*seeds.get(name, ()), seed), cell.config
    found: dict[tuple[int, ...], list[Config]] = {}
    for name, wanted in seeds.items():
        found.setdefault(wanted, []).append(configs[name])
    return found


def _measure_all(plan: Plan, again: bool, told: Callable[[str], None]) -> None:
    """What is missing, and ``again`` what could not be measured."""
    for cell in plan.cells:
        found = read_measurement(plan.folder, cell)
        if found is None or (again and "failed" in found):
            measure(plan.folder, cell, plan.seeds[0], told)


def record(plan: Plan, run: Run) -> None:
    """Put a finished run of a cell on record, where the plan keeps records."""
    cell = next((each for each in plan.cells if each.config.name == run.name), None)
    if plan.kept is not None and cell is not None:
        plan.kept.add(cell, run, _observed(plan.study, run))


def record_finished(plan: Plan) -> None:
    """Put on record what lies finished in the study's folder and is not there yet."""
    if plan.kept is None:
        return
    for cell in plan.cells:
        for seed in plan.seeds:
            if plan.kept.find(cell, seed) is None and plan.is_here(cell, seed):
                record(plan, read_run(plan.place(cell, seed)))


def outcomes(plan: Plan) -> list[Outcome]:
    """Of what is finished; what lies in the study's folder goes before what is on record alone."""
    if plan.study.work == "measure":
        measured = [(cell, read_measurement(plan.folder, cell)) for cell in plan.cells]
        return [Outcome(cell.facts, plan.seeds[0], values) for cell, values in measured if values is not None]
    found = []
    for cell in plan.cells:
        for seed in plan.seeds:
            if plan.is_here(cell, seed):
                run = read_run(plan.place(cell, seed))
                found.append(Outcome(cell.facts, seed, _observed(plan.study, run), run))
            elif plan.kept is not None and (known := plan.kept.find(cell, seed)) is not None:
                found.append(Outcome(cell.facts, seed, known.observed, known.run))
    return found


def _observed(study: Study, run: Run) -> dict[str, Any]:
    """Computed once, then read from the run's folder."""
    if study.observe is None:
        return {}
    path = run.folder / f"study-{study.name}.json"
    if not path.is_file():
        write_json(path, study.observe(load_nodes(run, f"the study {study.name}")))
    observed: dict[str, Any] = json.loads(path.read_bytes())
    return observed
