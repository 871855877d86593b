"""The losses of node tasks; unknown entries of a yes/no target (NaN) do not count.

Each node's (or entry's) cross-entropy l may be reshaped before the mean, so that doubtful nodes pull less:

    loge(l) = ln(epsilon + l) - ln epsilon, epsilon = 1 - ln 2          savage(l) = (1 - exp(-l))^2
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

EPSILON = 1 - math.log(2)

Loss = Callable[[Tensor, Tensor, Tensor | None, float], Tensor]
Reshape = Callable[[Tensor], Tensor]


def loge(each: Tensor) -> Tensor:
    return torch.log(EPSILON + each) - math.log(EPSILON)


def savage(each: Tensor) -> Tensor:
    return (1 - torch.exp(-each)).square()


def loge_savage(each: Tensor) -> Tensor:
    return loge(savage(each))


def cross_entropy(outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
    """(M, C) logits and (M,) classes; with ``weight`` (C,) the mean is weighted by the class of each node."""
    return F.cross_entropy(outputs, y, weight, label_smoothing=smoothing)


def reshaped_cross_entropy(
    outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0, *, reshape: Reshape
) -> Tensor:
    each = reshape(F.cross_entropy(outputs, y, reduction="none", label_smoothing=smoothing))
    if weight is None:
        return each.mean()
    return (each * weight[y]).sum() / weight[y].sum()


def binary_cross_entropy(outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
    """(M, T) logits and (M, T) 0, 1 or NaN; ``weight`` (T,) multiplies the positives of each task."""
    return _each_known(outputs, y, weight, smoothing).mean()


def reshaped_binary_cross_entropy(
    outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0, *, reshape: Reshape
) -> Tensor:
    return reshape(_each_known(outputs, y, weight, smoothing)).mean()


def mse(outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
    """(M, 1) outputs and (M,) numbers."""
    return F.mse_loss(outputs.squeeze(1), y)


def mae(outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
    return F.l1_loss(outputs.squeeze(1), y)


def huber(outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
    return F.huber_loss(outputs.squeeze(1), y)


LOSSES: dict[str, dict[str, Loss]] = {
    "class": {
        "cross_entropy": cross_entropy,
        "loge": partial(reshaped_cross_entropy, reshape=loge),
        "savage": partial(reshaped_cross_entropy, reshape=savage),
        "loge_savage": partial(reshaped_cross_entropy, reshape=loge_savage),
    },
    "multilabel": {
        "binary_cross_entropy": binary_cross_entropy,
        "binary_loge": partial(reshaped_binary_cross_entropy, reshape=loge),
        "binary_savage": partial(reshaped_binary_cross_entropy, reshape=savage),
        "binary_loge_savage": partial(reshaped_binary_cross_entropy, reshape=loge_savage),
    },
    "numeric": {"mse": mse, "mae": mae, "huber": huber},
}
"""By kind of target; the first of each is the one that is used where none is named."""


def _each_known(outputs: Tensor, y: Tensor, weight: Tensor | None, smoothing: float) -> Tensor:
    """The cross-entropy of every known entry, flat."""
    known = ~y.isnan()
    smoothed = y * (1 - smoothing) + smoothing / 2
    filled = torch.where(known, smoothed, torch.zeros_like(y))
    return F.binary_cross_entropy_with_logits(outputs, filled, pos_weight=weight, reduction="none")[known]
