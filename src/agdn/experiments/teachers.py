"""Runs that learn from a teacher: which one, where it lies, and what it says."""

from __future__ import annotations

import os
from pathlib import Path

import torch
from torch import Tensor

from agdn.experiments.config import Config
from agdn.experiments.result import read_run
from agdn.experiments.run_folder import is_finished, seed_folder


def teacher_of(config: Config) -> Config | None:
    """The configuration to train first: the student's own without a teacher; None where there is nothing to train."""
    options = config.task.distillation
    if options is None or options.runs is not None:
        return None
    task = config.task.model_copy(update={"distillation": None})
    name = options.teacher or f"{config.name}-teacher"
    return config.model_copy(update={"task": task, "name": name, "published": None})


def with_teacher_in(config: Config, out: Path) -> Config:
    """The student's configuration with the folder of its teacher's runs written out, as it is from everywhere."""
    options = config.task.distillation
    if options is None:
        return config
    teacher = teacher_of(config)
    runs = options.runs if teacher is None else str(out / teacher.name)
    located = options.model_copy(update={"runs": os.path.abspath(str(runs))})
    return config.model_copy(update={"task": config.task.model_copy(update={"distillation": located})})


def teacher_outputs(config: Config, seed: int) -> Tensor | None:
    """(N, C) what the teacher's run of the same seed says about every node; None without a teacher."""
    from agdn.experiments.load import load_nodes

    options = config.task.distillation
    if options is None:
        return None
    if options.runs is None:
        raise ValueError("task.distillation has no runs of a teacher yet; train the recipe with agdn train or agdn.run")
    folder = _run_of(Path(options.runs), seed)
    trained = load_nodes(read_run(folder), "a teacher")
    with torch.no_grad():
        return trained.outputs().float().cpu()


def _run_of(runs: Path, seed: int) -> Path:
    """The run with the student's seed, or the one run that the folder itself is."""
    for folder in (seed_folder(runs.parent, runs.name, seed), runs):
        if is_finished(folder):
            return folder
    raise ValueError(f"{runs} holds no finished run of seed {seed} to learn from: neither seed-{seed} nor result.json")
