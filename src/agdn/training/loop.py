"""The loop: a generator of epochs. Whatever else a run does with them wraps it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from agdn.tasks.evaluation import Evaluation
from agdn.training.epoch import Epoch
from agdn.training.errors import TrainingError
from agdn.training.peers import ALONE, Peers
from agdn.training.precision import autocast
from agdn.training.settings import Settings
from agdn.training.state import Best, State


class Task(Protocol):
    """What the loop asks of a task; ``inputs`` are passed on as they are."""

    @property
    def metric(self) -> str: ...
    @property
    def higher_is_better(self) -> bool: ...
    def steps(self, inputs: Any) -> int: ...
    def losses(self, model: nn.Module, inputs: Any, *, epoch: int, start: int) -> Iterator[Tensor | None]: ...
    def evaluate(self, model: nn.Module, inputs: Any) -> Evaluation: ...


def fit(
    model: nn.Module,
    task: Task,
    inputs: Any,
    settings: Settings,
    state: State | None = None,
    *,
    between: Callable[[], None] | None = None,
    peers: Peers = ALONE,
) -> Iterator[Epoch]:
    """Train epoch by epoch, from where ``state`` stands, which may be in the middle of one.

    The state is up to date whenever an epoch is handed out, and when ``between`` is called: between two steps.
    ``peers`` are processes that train the same model in step with this one.
    """
    state = State(model, settings) if state is None else state
    if state.model is not model:
        raise ValueError("this state belongs to another model")
    while state.epoch < settings.epochs:
        clock = _Clock(state)
        lr, loss = _steps(state, task, inputs, clock, between, peers)
        epoch = _concluded(state, task, inputs, lr=lr, loss=loss)
        clock.read()
        epoch = replace(epoch, seconds=clock.seconds)
        if epoch.is_best and state.best is not None:
            state.best = replace(state.best, record=epoch.to_json())
        yield epoch


def first_losses(model: nn.Module, task: Task, inputs: Any, settings: Settings, count: int = 10) -> list[float]:
    """The losses of the first epochs: the same numbers mean the same computation."""
    return [epoch.loss for epoch in islice(fit(model, task, inputs, settings), count)]


class _Clock:
    """Seconds since its making, which are also added to those of a state."""

    def __init__(self, state: State) -> None:
        self.state, self.seconds, self._last = state, 0.0, time.perf_counter()

    def read(self) -> None:
        now = time.perf_counter()
        self.seconds += now - self._last
        self.state.seconds += now - self._last
        self._last = now


def _steps(
    state: State, task: Task, inputs: Any, clock: _Clock, between: Callable[[], None] | None, peers: Peers
) -> tuple[float, float]:
    """One optimiser step for every loss that the task has in an epoch; the rate and the mean loss."""
    lr = state.rate.at(state.epoch + 1)
    for group in state.optimizer.param_groups:
        group["lr"] = lr
    state.model.train()
    total = task.steps(inputs)
    losses = task.losses(state.model, inputs, epoch=state.epoch, start=state.step)
    while state.step < total:
        state.optimizer.zero_grad(set_to_none=True)
        peers.begin_step(state.epoch, state.step)
        with autocast(state.settings.precision, state.device()):
            loss = next(losses)
        value = peers.joint_loss(loss)
        if value is not None:
            _step(state, loss, value, peers)
        state.step += 1
        if between is not None and state.step < total:
            clock.read()
            between()
    if not state.losses:
        raise TrainingError("the task has no training step in an epoch: its training part is empty")
    return lr, sum(state.losses) / len(state.losses)


def _step(state: State, loss: Tensor | None, value: float, peers: Peers) -> None:
    if not math.isfinite(value):
        raise TrainingError(
            f"the loss became {value} in epoch {state.epoch + 1}; lower optimizer.lr, or set clip_norm or warmup_epochs"
        )
    if loss is not None:
        loss.backward()
    peers.join_gradients(state.model)
    _clip(state.model, state.settings)
    state.optimizer.step()
    if state.ema is not None:
        state.ema.update(state.model)
    state.losses.append(value)


def _concluded(state: State, task: Task, inputs: Any, *, lr: float, loss: float) -> Epoch:
    """Evaluate where it is due, choose the best, and move the state on to the end of the epoch."""
    number = state.epoch + 1
    evaluation = _evaluated(state, task, inputs) if state.settings.evaluates(number) else None
    is_best = False
    if evaluation is not None:
        by_loss = state.settings.select == "loss"
        value = evaluation.valid_loss if by_loss else evaluation.scores["valid"][task.metric]
        is_best = state.is_better(value, higher_is_better=task.higher_is_better and not by_loss)
        if is_best:
            state.best = Best(number, value, {})
    scores: dict[str, dict[str, float]] = {} if evaluation is None else evaluation.scores
    valid_loss = None if evaluation is None else evaluation.valid_loss
    state.rate.observe(
        train_loss=loss,
        valid_loss=valid_loss,
        score=scores["valid"][task.metric] if scores else None,
        higher_is_better=task.higher_is_better,
    )
    state.epoch, state.step, state.losses = number, 0, []
    return Epoch(
        epoch=number,
        loss=loss,
        lr=lr,
        seconds=0.0,
        valid_loss=valid_loss,
        train=scores.get("train"),
        valid=scores.get("valid"),
        test=scores.get("test"),
        is_best=is_best,
        best_epoch=state.best_epoch,
    )


@torch.no_grad()
def _evaluated(state: State, task: Task, inputs: Any) -> Evaluation:
    state.model.eval()
    with state.evaluated(), autocast(state.settings.precision, state.device()):
        return task.evaluate(state.model, inputs)


def _clip(model: nn.Module, settings: Settings) -> None:
    if settings.clip_norm is None:
        return
    parts = [_part(model, name) for name in settings.clip_parts] or [model]
    for part in parts:
        nn.utils.clip_grad_norm_(part.parameters(), settings.clip_norm)


def _part(model: nn.Module, name: str) -> nn.Module:
    try:
        return model.get_submodule(name)
    except AttributeError:
        known = ", ".join(child for child, _ in model.named_children())
        raise TrainingError(f"clip_parts names {name!r}, but the parts of the model are {known}") from None
