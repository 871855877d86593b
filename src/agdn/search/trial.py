"""One trial: a configuration trained on a few seeds and judged on its validation nodes. Test nodes are left alone."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch

from agdn.experiments.config import Config
from agdn.experiments.experiment import Experiment
from agdn.training.epoch import Epoch
from agdn.training.errors import TrainingError
from agdn.training.run import train

SEEN = ("train", "valid")
REPORTS = 50  # the most that a seed reports on its way

Report = Callable[[int, float], None]
"""Called with a step and the score up to it; it ends the trial by raising :class:`Pruned`."""


class Pruned(Exception):
    """The trial is not worth going on with."""


def validation_scores(config: Config, seeds: Sequence[int], report: Report | None = None) -> list[float]:
    """The official score on the validation nodes at the best epoch, a number a seed."""
    scores: list[float] = []
    try:
        for seed in seeds:
            scores.append(_score(config, seed, scores, report))
    except (MemoryError, RuntimeError) as error:
        if not _for_want_of_memory(error):
            raise
        raise TrainingError("the memory did not suffice; search among smaller models") from None
    return scores


def _score(config: Config, seed: int, before: Sequence[float], report: Report | None) -> float:
    built = Experiment(config, seed, Path()).assemble(parts=SEEN)
    metric = built.task.metric

    def watch(epochs: Iterator[Epoch]) -> Iterator[Epoch]:
        if report is None:
            return epochs
        return reported(epochs, metric, total=config.training.epochs, before=before, report=report)

    settings = config.training
    trained = train(built.model, built.task, built.inputs, settings, check_memory=not before, watch=watch)
    return float(trained.best["valid"][metric])


def reported(
    epochs: Iterator[Epoch], metric: str, *, total: int, before: Sequence[float], report: Report
) -> Iterator[Epoch]:
    """Report the mean of the seeds ``before`` and of this one's best epoch so far.

    A step is a share of the epochs that a seed may take, so that steps of different trials compare; a seed that ends
    early keeps its score for the steps that are left.
    """
    first, step, score = len(before) * REPORTS, 0, None
    for epoch in epochs:
        if epoch.is_best and epoch.valid is not None:
            score = epoch.valid[metric]
        reached = epoch.epoch * REPORTS // total
        if epoch.valid is not None and score is not None and reached > step:
            step = reached
            report(first + step, statistics.fmean([*before, score]))
        yield epoch
    if score is not None:
        for left in range(step + 1, REPORTS + 1):
            report(first + left, statistics.fmean([*before, score]))


def _for_want_of_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or "can't allocate memory" in str(error)
