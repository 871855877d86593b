"""Time and memory of a configuration: a few training steps and an evaluation, in a process of their own.

``python -m agdn.studies.measuring`` is that process, see :mod:`agdn.experiments.serving`. What is timed has been done
before, so that kernels are compiled.
"""

from __future__ import annotations

import gc
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
from agdn.ops.kernels.buffers import hand_back_freed_memory
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

    The memory is what was resident at most beyond what was in use before the first step, or before the evaluation:
    gradients and the optimiser's state are in the former, data and weights are not. Links are scored on ``pairs`` test
    pairs, and the time carried on to all.
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
    device = torch.device(config.device)
    if config.training.epochs > 0:
        memory_estimate.check(
            built.model,
            built.inputs,
            config.training,
            added_columns=built.task.input_columns,
            pairs_of_step=built.task.pairs_of_step,
        )
        watched = _Watched(device)
        seconds = timed_steps(built, config.training, steps)
        found |= {
            "steps": built.task.steps(built.inputs),
            "step seconds": statistics.median(seconds),
            "step bytes": watched.bytes(),
        }
    built.model.eval()
    with torch.no_grad():
        watched = _Watched(device)
        _evaluation(built, pairs)  # gets its memory anew; the next one uses it again, as in training
        found |= {"evaluation bytes": watched.bytes(), "evaluation seconds": _evaluation(built, pairs)}
    return found


class _Watched:
    """The most memory in use beyond what is in use now."""

    def __init__(self, device: torch.device) -> None:
        gc.collect()
        hand_back_freed_memory()
        self.before, self.peak = resident(), PeakMemory(device)

    def bytes(self) -> int | None:
        most = self.peak.bytes()
        return None if self.before is None or most is None else max(0, most - self.before)


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
    if not isinstance(built.task, LinkTask):
        begin = time.perf_counter()
        built.task.evaluate(built.model, built.inputs)
        return time.perf_counter() - begin
    split = built.task.split
    assert isinstance(split, EdgeSplit)
    asked = torch.cat([split.test, split.test_negative], dim=1)
    chosen = asked[:, torch.randperm(asked.size(1), generator=torch.Generator().manual_seed(0))[:pairs]]
    begin = time.perf_counter()
    states = states_of(built.model, built.inputs.whole)
    between = time.perf_counter()
    score_pairs(built.model, states, chosen, built.task.eval_batch_size)
    return between - begin + (time.perf_counter() - between) * asked.size(1) / chosen.size(1)


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
