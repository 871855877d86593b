"""Every choice about how to train; a section of an experiment's configuration as it stands."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveFloat, PositiveInt

from agdn.training.optimizers import Adam, OptimizerOptions
from agdn.training.schedules import Constant, ScheduleOptions


class Settings(BaseModel):
    """How to train.

    Attributes:
        epochs: How many; 0 evaluates the model as it is built.
        optimizer: What makes steps of gradients.
        schedule: The learning rate of every epoch.
        warmup_epochs: The rate grows linearly over so many epochs: lr * min(1, epoch / warmup_epochs).
        clip_norm: Largest norm of the gradient, of all parameters together or of each of ``clip_parts``.
        clip_parts: Children of the model that are clipped each by itself; other children are then not clipped.
        ema_decay: Evaluate and keep an exponential moving average of the weights.
        select: The best epoch is the one with the best validation score, or the lowest validation loss.
        patience: Stop after so many epochs without a new best one.
        evaluate_every: Evaluate every so many epochs, and after the last.
        evaluate_from: Not before this epoch, the last aside.
        precision: ``bf16`` computes in bfloat16 where it is safe, on devices that have it; on a CPU that is the dense
            products alone.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    epochs: NonNegativeInt = 200
    optimizer: OptimizerOptions = Adam()
    schedule: ScheduleOptions = Constant()
    warmup_epochs: NonNegativeInt = 0
    clip_norm: PositiveFloat | None = None
    clip_parts: tuple[str, ...] = ()
    ema_decay: Annotated[float, Field(gt=0, lt=1)] | None = None
    select: Literal["score", "loss"] = "score"
    patience: PositiveInt | None = None
    evaluate_every: PositiveInt = 1
    evaluate_from: PositiveInt = 1
    precision: Literal["fp32", "bf16"] = "fp32"

    def evaluates(self, epoch: int) -> bool:
        """Whether an epoch, counted from 1, ends with an evaluation."""
        return epoch == self.epochs or (epoch >= self.evaluate_from and epoch % self.evaluate_every == 0)
