"""A whole run: the loop with everything around it, in the order that makes it safe to kill."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from agdn.tasks.inputs import Inputs
from agdn.tasks.link import LinkTask
from agdn.tasks.node import NodeTask
from agdn.training import checkpoint, memory_estimate, wrappers
from agdn.training.epoch import Epoch
from agdn.training.errors import TrainingError
from agdn.training.loop import fit
from agdn.training.peers import ALONE, Peers
from agdn.training.progress import progress
from agdn.training.settings import Settings
from agdn.training.shared_steps import SharedSteps
from agdn.training.signals import Stop, caught
from agdn.training.state import State

Watch = Callable[[Iterator[Epoch]], Iterator[Epoch]]
LOG_NAME, CHECKPOINT_NAME, CURVES_NAME = "metrics.jsonl", "checkpoint", "tensorboard"


@dataclass(frozen=True)
class Trained:
    """How a run ended; the model has the weights of its best epoch.

    Attributes:
        best: The record of the best epoch.
        epochs: Number of epochs trained, over all sittings.
        seconds: Time that they took.
        stopped_early: Whether patience ended the run.
    """

    best: dict[str, Any]
    epochs: int
    seconds: float
    stopped_early: bool


def train(
    model: nn.Module,
    task: NodeTask | LinkTask | SharedSteps,
    inputs: Inputs,
    settings: Settings,
    *,
    folder: Path | None = None,
    resume: bool = False,
    label: str | None = None,
    checkpoint_seconds: float = 30.0,
    tensorboard: bool = False,
    check_memory: bool = True,
    watch: Watch | None = None,
    peers: Peers = ALONE,
) -> Trained:
    """Train to the end, and give the model its best weights.

    Seed the generators before the model is built, also for a run that is resumed.

    Args:
        folder: Where the log and the checkpoints go; without one nothing is written.
        resume: Go on from the last checkpoint in ``folder``, or begin where there is none. Without it a folder that
            holds a run is refused.
        label: Show progress under this name.
        checkpoint_seconds: Time between two checkpoints; the end and a signal always save.
        watch: Wraps the epochs from outside; it may end the run by an error of its own.
        peers: Processes that train the same model in step; the first of them has a ``folder``, the others have none.

    Raises:
        Interrupted: SIGTERM or SIGINT came; the state is saved.
    """
    if folder is None and peers.is_first and (resume or tensorboard):
        raise ValueError("resume and tensorboard need a folder")
    if settings.epochs == 0:
        return _as_it_is(model, task, inputs)
    state = State(model, settings)
    state.ranks, state.steps_at_once = peers.size, peers.steps_at_once
    peers.first_does(lambda: None if folder is None else _begin(folder, state, resume=resume))
    if resume:
        peers.hand_over(state)
    if check_memory and state.epoch < settings.epochs:
        memory_estimate.check(
            model, inputs, settings, added_columns=task.input_columns, pairs_of_step=task.pairs_of_step
        )
    catches = folder is not None or peers.size > 1
    with caught(second_ends=peers.size == 1) if catches else nullcontext(Stop()) as stop:
        saver = None
        if catches:
            place = None if folder is None else folder / CHECKPOINT_NAME
            saver = wrappers.Checkpoints(state, place, seconds=checkpoint_seconds, stop=stop, peers=peers)
        between = None if saver is None else saver.visit
        epochs = wrappers.keep_best(fit(model, task, inputs, settings, state, between=between, peers=peers), state)
        if settings.patience is not None:
            epochs = wrappers.patience(epochs, state, settings.patience)
        if folder is not None:
            epochs = wrappers.log_jsonl(epochs, folder / LOG_NAME, state)
        if saver is not None:
            epochs = saver.around(epochs)
        if folder is not None and tensorboard:
            epochs = wrappers.tensorboard(epochs, folder / CURVES_NAME)
        if label is not None:
            epochs = progress(epochs, settings.epochs, task.metric, label=label)
        if watch is not None:
            epochs = watch(epochs)
        for _ in epochs:
            pass
    best = state.restore_best()
    model.eval()
    return Trained(best, state.epoch, state.seconds, state.epoch < settings.epochs)


@torch.no_grad()
def _as_it_is(model: nn.Module, task: NodeTask | LinkTask | SharedSteps, inputs: Inputs) -> Trained:
    """A model that is not trained, such as one without parameters: its one evaluation is the run."""
    start = time.perf_counter()
    evaluation = task.evaluate(model.eval(), inputs)
    seconds = time.perf_counter() - start
    train, valid, test = (evaluation.scores.get(part) for part in ("train", "valid", "test"))
    record = Epoch(
        epoch=0, loss=0.0, lr=0.0, seconds=seconds, valid_loss=evaluation.valid_loss, is_best=True, best_epoch=0,
        train=train, valid=valid, test=test,
    )  # fmt: skip
    return Trained(record.to_json(), 0, seconds, False)


def _begin(folder: Path, state: State, *, resume: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if resume:
        checkpoint.load(folder / CHECKPOINT_NAME, state)
    else:
        _require_new(folder)


def _require_new(folder: Path) -> None:
    for path in (*checkpoint.saved(folder / CHECKPOINT_NAME), folder / LOG_NAME):
        if path.exists():
            raise TrainingError(f"{folder} holds a run already ({path.name}); resume it or choose another folder")
