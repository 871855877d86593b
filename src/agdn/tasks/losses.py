"""The losses of node tasks; unknown entries of a yes/no target (NaN) do not count.

Each node's (or entry's) cross-entropy l may be reshaped before the mean, so that doubtful nodes pull less:

    loge(l) = ln(epsilon + l) - ln epsilon, epsilon = 1 - ln 2          savage(l) = (1 - exp(-l))^2
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.halo import sum_over_parts

EPSILON = 1 - math.log(2)


class Each(NamedTuple):
    """The loss of every node, or of every entry of a node's row, and how much each of them counts."""

    loss: Tensor
    share: Tensor

    def mean(self, node_weight: Tensor | None = None, graph: Graph | None = None) -> Tensor:
        """Over what counts; ``node_weight`` (M,) weighs the nodes, as batches do that hold some more often.

        Where ``graph`` is a part of one, this is what the part adds to the mean over all parts.
        """
        weight = 1 if node_weight is None else node_weight.reshape(-1, *[1] * (self.loss.dim() - 1))
        loss, share = (weight * self.loss).sum(), (weight * self.share).sum()
        return loss / (share if graph is None else sum_over_parts(share, graph))


Loss = Callable[[Tensor, Tensor, Tensor | None, float], Each]
Reshape = Callable[[Tensor], Tensor]


def loge(each: Tensor) -> Tensor:
    return torch.log(EPSILON + each) - math.log(EPSILON)


def savage(each: Tensor) -> Tensor:
    return (1 - torch.exp(-each)).square()


def loge_savage(each: Tensor) -> Tensor:
    return loge(savage(each))


def cross_entropy(outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Each:
    """(M, C) logits and (M,) classes; with ``weight`` (C,) the mean is weighted by the class of each node."""
    loss = F.cross_entropy(outputs, y, weight, reduction="none", label_smoothing=smoothing)
    return Each(loss, torch.ones_like(loss) if weight is None else weight[y])


def reshaped_cross_entropy(
    outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0, *, reshape: Reshape
) -> Each:
    loss = reshape(F.cross_entropy(outputs, y, reduction="none", label_smoothing=smoothing))
    return Each(loss, torch.ones_like(loss)) if weight is None else Each(loss * weight[y], weight[y])


def binary_cross_entropy(
    outputs: Tensor,
    y: Tensor,
    weight: Tensor | None = None,
    smoothing: float = 0.0,
    *,
    reshape: Reshape | None = None,
) -> Each:
    """(M, T) logits and (M, T) 0, 1 or NaN; ``weight`` (T,) multiplies the positives of each task."""
    known = ~y.isnan()
    smoothed = y * (1 - smoothing) + smoothing / 2
    filled = torch.where(known, smoothed, torch.zeros_like(y))
    loss = F.binary_cross_entropy_with_logits(outputs, filled, pos_weight=weight, reduction="none")
    loss = loss if reshape is None else reshape(loss)
    return Each(torch.where(known, loss, torch.zeros_like(loss)), known.to(loss.dtype))


def _numeric(each: Callable[..., Tensor]) -> Loss:
    """(M, 1) outputs and (M,) numbers."""

    def loss(outputs: Tensor, y: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Each:
        losses = each(outputs.squeeze(1), y, reduction="none")
        return Each(losses, torch.ones_like(losses))

    return loss


LOSSES: dict[str, dict[str, Loss]] = {
    "class": {
        "cross_entropy": cross_entropy,
        "loge": partial(reshaped_cross_entropy, reshape=loge),
        "savage": partial(reshaped_cross_entropy, reshape=savage),
        "loge_savage": partial(reshaped_cross_entropy, reshape=loge_savage),
    },
    "multilabel": {
        "binary_cross_entropy": binary_cross_entropy,
        "binary_loge": partial(binary_cross_entropy, reshape=loge),
        "binary_savage": partial(binary_cross_entropy, reshape=savage),
        "binary_loge_savage": partial(binary_cross_entropy, reshape=loge_savage),
    },
    "numeric": {"mse": _numeric(F.mse_loss), "mae": _numeric(F.l1_loss), "huber": _numeric(F.huber_loss)},
}
"""By kind of target; the first of each is the one that is used where none is named."""
