"""All that changes while a model is trained, and so all that a checkpoint must hold."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from agdn.training.ema import Ema
from agdn.training.errors import TrainingError
from agdn.training.schedules import LearningRate
from agdn.training.settings import Settings


@dataclass(frozen=True)
class Best:
    """The best epoch so far: its number, the value it was chosen for, its record and, where kept, its weights."""

    epoch: int
    value: float
    record: dict[str, Any]
    weights: dict[str, Tensor] | None = None


class State:
    """A model in training.

    Attributes:
        epoch: Number of finished epochs.
        step: Number of finished steps of the epoch that has begun.
        losses: Theirs, of those that had one.
        seconds: Time that all took, over all sittings.
        saved_at: Epoch and step of the last checkpoint that was written or loaded.
        ranks: Processes that train together.
        steps_at_once: How many of the task's steps one step takes.
    """

    ranks = steps_at_once = 1

    def __init__(self, model: nn.Module, settings: Settings) -> None:
        self.model, self.settings = model, settings
        self.optimizer = settings.optimizer.build(model)
        self.rate = LearningRate(
            settings.optimizer.lr, settings.schedule, epochs=settings.epochs, warmup_epochs=settings.warmup_epochs
        )
        self.ema = None if settings.ema_decay is None else Ema(model, settings.ema_decay)
        self.epoch = self.step = 0
        self.losses: list[float] = []
        self.seconds = 0.0
        self.saved_at: tuple[int, int] | None = None
        self.best: Best | None = None

    @property
    def place(self) -> tuple[int, int]:
        """How far the training is: finished epochs, and steps of the one that has begun."""
        return self.epoch, self.step

    @property
    def best_epoch(self) -> int:
        """0 before the first evaluation."""
        return 0 if self.best is None else self.best.epoch

    def evaluated(self) -> AbstractContextManager[None]:
        """While the block runs the model has the weights that are evaluated and kept."""
        return nullcontext() if self.ema is None else self.ema.applied(self.model)

    def weights(self) -> dict[str, Tensor]:
        """A copy of the weights and buffers that are evaluated."""
        with self.evaluated():
            return {name: tensor.detach().cpu().clone() for name, tensor in self.model.state_dict().items()}

    def restore_best(self) -> dict[str, Any]:
        """Give the model its best weights; returns the record of their epoch."""
        if self.best is None or self.best.weights is None:
            raise TrainingError("no best weights were kept: wrap the epochs in keep_best")
        self.model.load_state_dict(self.best.weights)
        return self.best.record

    def is_better(self, value: float, *, higher_is_better: bool) -> bool:
        if self.best is None:
            return True
        return value > self.best.value if higher_is_better else value < self.best.value

    def device(self) -> torch.device:
        return next(self.model.parameters()).device
