"""``agdn.run``: recipes and seeds -> results, whatever of it was done before left as it is."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from agdn.data.store import is_stored
from agdn.distributed.part_store import is_in_parts
from agdn.distributed.world import current, local_size
from agdn.experiments.config import Config
from agdn.experiments.experiment import Experiment
from agdn.experiments.jobs import side_by_side, threads_each
from agdn.experiments.recipes import read_recipe
from agdn.experiments.result import Result, Run, read_run
from agdn.experiments.run_folder import claim, is_finished, seed_folder
from agdn.experiments.seeds import chosen_seeds
from agdn.experiments.teachers import teacher_of, with_teacher_in
from agdn.experiments.workers import run_side_by_side

Finished = Callable[[Run], None]
Failed = Callable[[Experiment, ValueError], None]


def run(
    recipe: str | Path,
    *,
    seeds: int | Sequence[int] = 1,
    changes: Mapping[str, Any] | None = None,
    data: str | Path | None = None,
    out: str | Path = "runs",
    resume: bool = False,
    jobs: int | None = None,
    progress: bool = True,
) -> Result:
    """Train a recipe, one run a seed.

    Args:
        recipe: Its name, such as ``"digits/agdn"``, a YAML file, or the folder of a stored dataset.
        seeds: How many, from 0, or which.
        changes: Keys of the recipe to change, such as ``{"model.hops": 5}``.
        data: Folder of the data sets; by default ``$AGDN_DATA``.
        out: Where the run folders go: ``<out>/<recipe>/seed-<n>``. A finished one is not run again.
        resume: Go on with runs that were stopped.
        jobs: Seeds at a time, each in a process of its own; by default as many as cores and memory allow.
        progress: Show how far a run is, on standard error.
    """
    overrides = [f"{key}={json.dumps(value)}" for key, value in (changes or {}).items()]
    config = read_recipe(recipe, overrides)
    return run_all([config], seeds=seeds, data=data, out=out, resume=resume, jobs=jobs, progress=progress)[0]


def run_all(
    configs: Sequence[Config],
    *,
    seeds: int | Sequence[int] = 1,
    data: str | Path | None = None,
    out: str | Path = "runs",
    resume: bool = False,
    jobs: int | None = None,
    progress: bool = True,
    checkpoint_seconds: float = 30.0,
    finished: Finished | None = None,
    failed: Failed | None = None,
) -> list[Result]:
    """Several configurations over the same seeds; ``finished`` is called with every run as it ends.

    Where ``failed`` is given it is told of a run that cannot be trained, and the others go on; results are then of the
    runs that were finished.
    """
    chosen = chosen_seeds(seeds)
    configs = [located(config, data) for config in configs]
    names = [config.name for config in configs]
    if len(set(names)) < len(names):
        raise ValueError(f"two of the recipes have the name {max(names, key=names.count)!r}; give each its own")
    known = {config.name: config for config in configs}
    teachers = {t.name: known.get(t.name, t) for config in configs if (t := teacher_of(config)) is not None}
    if teachers:
        run_all(
            list(teachers.values()),
            seeds=chosen,
            out=out,
            resume=resume,
            jobs=jobs,
            progress=progress,
            checkpoint_seconds=checkpoint_seconds,
            finished=finished,
            failed=failed,
        )
    configs = [with_teacher_in(config, Path(out)) for config in configs]
    experiments = [
        Experiment(config, seed, seed_folder(Path(out), config.name, seed)) for config in configs for seed in chosen
    ]
    if (world := current()) is not None:  # every rank goes through all; the first knows what is finished
        for experiment in experiments:
            label = f"{experiment.config.name} seed {experiment.seed}" if progress else None
            one = _with_threads(experiment, threads_each(local_size()))
            run = one.run(resume=resume, label=label, checkpoint_seconds=checkpoint_seconds)
            if finished and world.rank == 0:
                finished(run)
        return [] if world.rank else _results(configs, chosen, Path(out))
    for experiment in experiments:
        if experiment.folder.exists():
            claim(experiment.folder, experiment.config)
    pending = [experiment for experiment in experiments if not is_finished(experiment.folder)]
    _train(
        pending,
        resume=resume,
        jobs=jobs,
        progress=progress,
        seconds=checkpoint_seconds,
        finished=finished,
        failed=failed,
    )
    return _results(configs, chosen, Path(out), finished_alone=failed is not None)


def _results(
    configs: Sequence[Config], seeds: Sequence[int], out: Path, *, finished_alone: bool = False
) -> list[Result]:
    results = []
    for config in configs:
        folders = [seed_folder(out, config.name, seed) for seed in seeds]
        runs = tuple(read_run(folder) for folder in folders if not finished_alone or is_finished(folder))
        results += [Result(config.name, runs)] if runs else []
    return results


def _train(
    pending: Sequence[Experiment],
    *,
    resume: bool,
    jobs: int | None,
    progress: bool,
    seconds: float,
    finished: Finished | None,
    failed: Failed | None,
) -> None:
    if not pending:
        return
    if len(pending) > 1:
        at_once = side_by_side(pending, jobs)
        if at_once > 1:
            threads = threads_each(at_once)
            run_side_by_side(
                [_with_threads(experiment, threads) for experiment in pending],
                jobs=at_once,
                threads=threads,
                resume=resume,
                checkpoint_seconds=seconds,
                finished=lambda experiment: finished(read_run(experiment.folder)) if finished else None,
                failed=failed,
            )
            return
    for experiment in pending:
        label = f"{experiment.config.name} seed {experiment.seed}" if progress else None
        try:
            run = _with_threads(experiment, threads_each(1)).run(resume=resume, label=label, checkpoint_seconds=seconds)
        except ValueError as error:
            if failed is None:
                raise
            failed(experiment, error)
            continue
        if finished:
            finished(run)


def _with_threads(experiment: Experiment, threads: int) -> Experiment:
    config = experiment.config
    if config.threads is not None:
        return experiment
    return Experiment(config.model_copy(update={"threads": threads}), experiment.seed, experiment.folder)


def located(config: Config, root: str | Path | None) -> Config:
    """Folders of the data as they are from everywhere, since a run may be resumed or loaded from elsewhere."""
    data = config.data
    changes: dict[str, Any] = {}
    if root is not None:
        if not Path(root).is_dir():
            raise ValueError(f"the data folder {root} does not exist")
        changes["root"] = os.path.abspath(root)
    if is_stored(data.name) or is_in_parts(data.name):
        changes["name"] = os.path.abspath(data.name)
    if data.features is not None:
        changes["features"] = data.features_by(os.path.abspath)
    return config.model_copy(update={"data": data.model_copy(update=changes)}) if changes else config
