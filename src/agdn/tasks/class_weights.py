"""Weights that make rare classes count: given by the user, or balanced from the training labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor

ClassWeights = Sequence[float] | Literal["balanced"] | None


def fitted_weights(target: str, y: Tensor, weights: ClassWeights, width: int) -> Tensor | None:
    """(width,) float32: a factor a class, or a factor for the positives of each yes/no task; None for no weights.

    Balanced, a class of n_c among n training nodes weighs n / (C n_c), and the positives of a task as much as its
    negatives together. A class or task without training nodes weighs 1.
    """
    if weights is None:
        return None
    if target == "numeric":
        raise ValueError("class_weights are for classes; this target is a number")
    if isinstance(weights, str):
        if weights != "balanced":
            raise ValueError(f"class_weights must be 'balanced' or one number a class, got {weights!r}")
        return _balanced_classes(y, width) if target == "class" else _balanced_tasks(y)
    given = torch.tensor([float(weight) for weight in weights])
    if len(given) != width:
        raise ValueError(f"class_weights has {len(given)} numbers, but there are {width} classes")
    if not bool((torch.isfinite(given) & (given >= 0)).all()) or float(given.sum()) == 0:
        raise ValueError(f"class_weights must be finite, none negative and not all zero, got {list(weights)}")
    return given


def _balanced_classes(y: Tensor, width: int) -> Tensor:
    counts = torch.bincount(y, minlength=width)
    return torch.where(counts > 0, len(y) / (width * counts.clamp(min=1)), 1.0).float()


def _balanced_tasks(y: Tensor) -> Tensor:
    positive, negative = (y == 1).sum(0), (y == 0).sum(0)
    return torch.where((positive > 0) & (negative > 0), negative / positive.clamp(min=1), 1.0).float()
