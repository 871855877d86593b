"""What one epoch achieved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Epoch:
    """One pass over the training data.

    Attributes:
        epoch: Its number, from 1.
        loss: Mean over its steps, in training mode.
        lr: The learning rate that it used.
        seconds: How long it took, evaluation included.
        valid_loss, train, valid, test: What its evaluation gave, scores by name; None where it was not evaluated.
        is_best: Whether it is the best epoch so far.
        best_epoch: The best epoch so far; 0 before the first evaluation.
    """

    epoch: int
    loss: float
    lr: float
    seconds: float
    valid_loss: float | None
    train: Mapping[str, float] | None
    valid: Mapping[str, float] | None
    test: Mapping[str, float] | None
    is_best: bool
    best_epoch: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
