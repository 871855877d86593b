"""What a task says about a model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Evaluation:
    """Scores by part, the official one first, and the loss on the validation part."""

    scores: dict[str, dict[str, float]]
    valid_loss: float
