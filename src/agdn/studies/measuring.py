"""Time and memory of a configuration: a few training steps and an evaluation, in a process of their own.

``python -m agdn.studies.measuring`` is that process, see :mod:`agdn.experiments.serving`. Kernels are compiled before
anything counts: the estimate of the memory takes steps on small graphs.
"""

from __future__ import annotations

import json
import statistics
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch

from agdn.data.dataset import EdgeSplit
from agdn.experiments.config import Config
from agdn.experiments.experiment import Assembled, Experiment
from agdn.experiments.serving import Exchange, serve
from agdn.tasks.link import LinkTask, states_of
from agdn.tasks.pair_scores import score_pairs
from agdn.training import memory_estimate
from agdn.training.errors import TrainingError
from agdn.training.loop import fit
from agdn.training.peak_memory import PeakMemory, resident
from agdn.training.settings import Settings


class _Enough(Exception):
    """As many steps were timed as were asked for."""


def measured(config: Config, *, seed: int = 0, steps: int = 3, pairs: int = 20_000) -> dict[str, Any]:
    """Seconds and bytes of a training step (the first is not timed) and of an evaluation, and the sizes of both.

    The memory is what was resident at most beyond what was before the first step: gradients and the optimiser's state
    are in it, data and weights are not. Links are scored on ``pairs`` test pairs, and the time carried on to all.
    """
    if config.threads is not None:
        torch.set_num_threads(config.threads)
    built = Experiment(config, seed, Path()).assemble()
    found: dict[str, Any] = {
        "parameters": sum(parameter.numel() for parameter in built.model.parameters()),
        "nodes": built.dataset.graph.num_nodes,
        "edges": built.dataset.graph.num_edges,
        "threads": torch.get_num_threads(),
        "epochs": config.training.epochs,
    }
    if config.training.epochs > 0:
        memory_estimate.check(
            built.model,
            built.inputs,
            config.training,
            added_columns=built.task.input_columns,
            pairs_of_step=built.task.pairs_of_step,
        )
        before, watched = resident(), PeakMemory(torch.device(config.device))
        seconds = timed_steps(built, config.training, steps)
        found |= {
            "steps": built.task.steps(built.inputs),
            "step seconds": statistics.median(seconds),
            "step bytes": _beyond(before, watched),
        }
    built.model.eval()
    with torch.no_grad():
        before, watched = resident(), PeakMemory(torch.device(config.device))
        found |= {"evaluation seconds": _evaluation(built, pairs), "evaluation bytes": _beyond(before, watched)}
    return found


def timed_steps(built: Assembled, settings: Settings, count: int) -> list[float]:
    """Seconds of ``count`` steps of the training loop, after one that is not timed."""
    never = count + 3
    settings = settings.model_copy(update={"epochs": never, "evaluate_every": never, "evaluate_from": never})
    ends = [time.perf_counter()]

    def ended() -> None:
        ends.append(time.perf_counter())
        if len(ends) > count + 1:
            raise _Enough

    try:
        for _ in fit(built.model, built.task, built.inputs, settings, between=ended):
            ended()
    except _Enough:
        pass
    return [end - begin for begin, end in pairwise(ends[1:])]


def _evaluation(built: Assembled, pairs: int) -> float:
    begin = time.perf_counter()
    if not isinstance(built.task, LinkTask):
        built.task.evaluate(built.model, built.inputs)
        return time.perf_counter() - begin
    split = built.task.split
    assert isinstance(split, EdgeSplit)
    asked = torch.cat([split.test, split.test_negative], dim=1)
    chosen = asked[:, torch.randperm(asked.size(1), generator=torch.Generator().manual_seed(0))[:pairs]]
    states = states_of(built.model, built.inputs.whole)
    score_pairs(built.model, states, chosen[:, :64], 64)  # compiles
    begin = time.perf_counter()
    states = states_of(built.model, built.inputs.whole)
    between = time.perf_counter()
    score_pairs(built.model, states, chosen, built.task.eval_batch_size)
    return between - begin + (time.perf_counter() - between) * asked.size(1) / chosen.size(1)


def _beyond(before: int | None, watched: PeakMemory) -> int | None:
    most = watched.bytes()
    return None if before is None or most is None else max(0, most - before)


def work(order: dict[str, Any], exchange: Exchange) -> dict[str, Any]:
    """Measure one configuration; one that cannot be, for want of memory, of data or of a teacher, says so.

    torch raises a RuntimeError where it cannot allocate.
    """
    config = Config.model_validate_json(json.dumps(order["config"]))
    try:
        return {"measured": measured(config, seed=order["seed"], steps=order["steps"])}
    except (RuntimeError, MemoryError, TrainingError, ValueError, OSError) as error:
        return {"failed": str(error) or "the memory did not suffice"}


if __name__ == "__main__":
    serve(work)
