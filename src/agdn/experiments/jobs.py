"""How many seeds go side by side, and how many threads each gets."""

from __future__ import annotations

import os
from collections.abc import Sequence

import torch

from agdn.experiments.experiment import Experiment
from agdn.training import memory_estimate


def cores() -> int:
    """The cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # a system that does not tell
        return os.cpu_count() or 1


def side_by_side(pending: Sequence[Experiment], jobs: int | None) -> int:
    """As many as asked for, or as cores and memory allow; one at a time on a device that they would share."""
    if jobs is not None:
        if jobs < 1:
            raise ValueError(f"jobs must be at least 1, got {jobs}")
        return min(len(pending), jobs)
    wanted = min(len(pending), cores())
    if wanted <= 1 or any(experiment.config.device != "cpu" for experiment in pending):
        return 1
    return max(1, min(wanted, _that_fit(pending)))


def threads_each(jobs: int) -> int:
    return max(1, cores() // jobs)


def _that_fit(pending: Sequence[Experiment]) -> int:
    """How many of the largest kind fit into the memory that is free."""
    available = memory_estimate.available(torch.device("cpu"))
    if available is None:
        return len(pending)
    largest = 1
    trained = [experiment for experiment in pending if experiment.config.training.epochs > 0]
    for experiment in {experiment.config.name: experiment for experiment in trained}.values():
        built = experiment.assemble()
        needed = memory_estimate.estimate(
            built.model,
            built.inputs,
            experiment.config.training,
            added_columns=built.task.input_columns,
            pairs_of_step=built.task.pairs_of_step,
        )
        largest = max(largest, needed)
    return int(memory_estimate.USABLE_SHARE * available / largest)
