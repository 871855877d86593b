"""The loop: a generator of epochs. Whatever else a run does with them wraps it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from agdn.tasks.evaluation import Evaluation
from agdn.training.epoch import Epoch
from agdn.training.errors import TrainingError
from agdn.training.precision import autocast
from agdn.training.settings import Settings
from agdn.training.state import Best, State


class Task(Protocol):
    """What the loop asks of a task; ``inputs`` are passed on as they are."""

    @property
    def metric(self) -> str: ...
    @property
    def higher_is_better(self) -> bool: ...
    def losses(self, model: nn.Module, inputs: Any) -> Iterator[Tensor]: ...
    def evaluate(self, model: nn.Module, inputs: Any) -> Evaluation: ...


def fit(model: nn.Module, task: Task, inputs: Any, settings: Settings, state: State | None = None) -> Iterator[Epoch]:
    """Train epoch by epoch, from where ``state`` stands; it is up to date whenever an epoch is handed out."""
    state = State(model, settings) if state is None else state
    if state.model is not model:
        raise ValueError("this state belongs to another model")
    while state.epoch < settings.epochs:
        start = time.perf_counter()
        lr, loss = _steps(state, task, inputs)
        epoch = _concluded(state, task, inputs, lr=lr, loss=loss)
        seconds = time.perf_counter() - start
        state.seconds += seconds
        epoch = replace(epoch, seconds=seconds)
        if epoch.is_best and state.best is not None:
            state.best = replace(state.best, record=epoch.to_json())
        yield epoch


def first_losses(model: nn.Module, task: Task, inputs: Any, settings: Settings, count: int = 10) -> list[float]:
    """The losses of the first epochs: the same numbers mean the same computation."""
    return [epoch.loss for epoch in islice(fit(model, task, inputs, settings), count)]


def _steps(state: State, task: Task, inputs: Any) -> tuple[float, float]:
    """One optimiser step for every loss that the task has in an epoch; the rate and the mean loss."""
    number = state.epoch + 1
    lr = state.rate.at(number)
    for group in state.optimizer.param_groups:
        group["lr"] = lr
    state.model.train()
    losses: list[float] = []
    steps = task.losses(state.model, inputs)
    while True:
        state.optimizer.zero_grad(set_to_none=True)
        with autocast(state.settings.precision, state.device()):
            loss = next(steps, None)
        if loss is None:
            break
        losses.append(float(loss.detach()))
        if not math.isfinite(losses[-1]):
            raise TrainingError(
                f"the loss became {losses[-1]} in epoch {number}; lower optimizer.lr, or set clip_norm or warmup_epochs"
            )
        loss.backward()
        _clip(state.model, state.settings)
        state.optimizer.step()
        if state.ema is not None:
            state.ema.update(state.model)
    if not losses:
        raise TrainingError("the task has no training step in an epoch: its training part is empty")
    return lr, sum(losses) / len(losses)


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
    state.epoch = number
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
    parts = [model.get_submodule(name) for name in settings.clip_parts] or [model]
    for part in parts:
        nn.utils.clip_grad_norm_(part.parameters(), settings.clip_norm)
