"""The losses of node tasks; unknown entries of a yes/no target (NaN) do not count."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

EPSILON = 1 - math.log(2)

Loss = Callable[[Tensor, Tensor, Tensor | None, float], Tensor]


def cross_entropy(outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
    """(M, C) logits and (M,) classes; with ``weight`` (C,) the mean is weighted by the class of each node."""
    return F.cross_entropy(outputs, y, weight, label_smoothing=smoothing)


def loge(outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
    """ln(epsilon + l) - ln epsilon of each node's cross-entropy l: doubtful nodes pull less."""
    each = F.cross_entropy(outputs, y, reduction="none", label_smoothing=smoothing)
    return _weighted_mean(torch.log(EPSILON + each) - math.log(EPSILON), None if weight is None else weight[y])


def binary_cross_entropy(outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
    """(M, T) logits and (M, T) 0, 1 or NaN; ``weight`` (T,) multiplies the positives of each task."""
    return _each_known(outputs, y, weight, smoothing).mean()


def binary_loge(outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
    """The loge transform of each node's and task's binary cross-entropy."""
    return (torch.log(EPSILON + _each_known(outputs, y, weight, smoothing)) - math.log(EPSILON)).mean()


def mse(outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
    """(M, 1) outputs and (M,) numbers."""
    return F.mse_loss(outputs.squeeze(1), y)


def mae(outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
    return F.l1_loss(outputs.squeeze(1), y)


def huber(outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
    return F.huber_loss(outputs.squeeze(1), y)


LOSSES: dict[str, dict[str, Loss]] = {
    "class": {"cross_entropy": cross_entropy, "loge": loge},
    "multilabel": {"binary_cross_entropy": binary_cross_entropy, "binary_loge": binary_loge},
    "numeric": {"mse": mse, "mae": mae, "huber": huber},
}
"""By kind of target; the first of each is the one that is used where none is named."""


def _each_known(outputs: Tensor, y: Tensor, weight: Tensor | None, smoothing: float) -> Tensor:
    """The cross-entropy of every known entry, flat."""
    known = ~y.isnan()
    smoothed = y * (1 - smoothing) + smoothing / 2
    filled = torch.where(known, smoothed, torch.zeros_like(y))
    return F.binary_cross_entropy_with_logits(outputs, filled, pos_weight=weight, reduction="none")[known]


def _weighted_mean(values: Tensor, weights: Tensor | None) -> Tensor:
    return values.mean() if weights is None else (values * weights).sum() / weights.sum()
