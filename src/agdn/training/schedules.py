"""The learning rate of every epoch: constant, cosine or lowered on a plateau, each after a linear warm-up."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat, NonNegativeInt


class _Options(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Constant(_Options):
    """The same rate in every epoch after the warm-up."""

    name: Literal["none"] = "none"


class Cosine(_Options):
    """From the full rate down to ``min_lr`` over all epochs, along half a cosine.

    Attributes:
        min_lr: The rate of the last epoch.
    """

    name: Literal["cosine"] = "cosine"
    min_lr: NonNegativeFloat = 0.0


class Plateau(_Options):
    """Multiply the rate by ``factor`` after ``patience`` observations in a row without improvement.

    Attributes:
        factor: What the rate is multiplied by.
        patience: Observations in a row without improvement that are still borne.
        min_lr: The rate is not lowered below it.
        watch: What is observed: the validation score or loss, or the training loss.
        between: What epochs without an evaluation do: ``wait``, ``repeat`` the latest value, or count as ``zero``.
            The published ogbn-proteins runs repeat, the ogbn-products runs count zero.
        threshold: Relative change that counts as an improvement.
    """

    name: Literal["plateau"] = "plateau"
    factor: Annotated[float, Field(gt=0, lt=1)] = 0.5
    patience: NonNegativeInt = 10
    min_lr: NonNegativeFloat = 0.0
    threshold: NonNegativeFloat = 1e-4
    watch: Literal["score", "valid_loss", "train_loss"] = "score"
    between: Literal["wait", "repeat", "zero"] = "wait"


Schedule = Constant | Cosine | Plateau
ScheduleOptions = Annotated[Schedule, Field(discriminator="name")]
SCHEDULES: dict[str, type[Schedule]] = {"none": Constant, "cosine": Cosine, "plateau": Plateau}


class LearningRate:
    """Gives each epoch's rate; on a plateau schedule it also watches what the epochs achieve."""

    def __init__(self, lr: float, schedule: Schedule, *, epochs: int, warmup_epochs: int = 0) -> None:
        self.schedule, self.epochs, self.warmup_epochs = schedule, epochs, warmup_epochs
        self.full = lr  # a plateau lowers it
        self.best: float | None = None
        self.latest: float | None = None
        self.without_improvement = 0

    def at(self, epoch: int) -> float:
        """The rate of an epoch, counted from 1."""
        rate = self.full
        if isinstance(self.schedule, Cosine):
            low = min(self.schedule.min_lr, rate)
            rate = low + (rate - low) * (1 + math.cos(math.pi * (epoch - 1) / self.epochs)) / 2
        return rate * min(1.0, epoch / self.warmup_epochs) if self.warmup_epochs else rate

    def observe(
        self, *, train_loss: float, valid_loss: float | None, score: float | None, higher_is_better: bool
    ) -> None:
        """Take in what an epoch achieved; ``valid_loss`` and ``score`` are None where it was not evaluated."""
        if not isinstance(self.schedule, Plateau):
            return
        seen = {"train_loss": train_loss, "valid_loss": valid_loss, "score": score}[self.schedule.watch]
        self.latest = seen if seen is not None else self.latest
        if seen is None and self.schedule.between == "repeat":
            seen = self.latest
        elif seen is None and self.schedule.between == "zero":
            seen = 0.0
        if seen is not None:
            self._step(self.schedule, seen, upwards=higher_is_better and self.schedule.watch == "score")

    def _step(self, plateau: Plateau, value: float, *, upwards: bool) -> None:
        if self.best is None:
            better = True
        elif upwards:
            better = value > self.best * (1 + plateau.threshold)
        else:
            better = value < self.best * (1 - plateau.threshold)
        if better:
            self.best, self.without_improvement = value, 0
            return
        self.without_improvement += 1
        if self.without_improvement > plateau.patience:
            self.full = max(self.full * plateau.factor, min(plateau.min_lr, self.full))
            self.without_improvement = 0

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        names = ("full", "best", "latest", "without_improvement")
        return {name: getattr(self, name) for name in names}

    def restore(self, state: dict[str, Any]) -> None:
        self.full, self.best, self.latest = state["full"], state["best"], state["latest"]
        self.without_improvement = state["without_improvement"]
