"""The losses of link tasks: scores of positives (B,) against those of the negatives that belong to each, (B, n).

``weight`` (B,) is how much each positive counts, or by how much it is to lead. The squared losses are sums, as they are
published: there it is the clipping of the gradient that fixes the size of a step.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

LinkLoss = Callable[[Tensor, Tensor, Tensor | None], Tensor]


def cross_entropy(positive: Tensor, negative: Tensor, weight: Tensor | None = None) -> Tensor:
    """-ln sigmoid(p) - ln(1 - sigmoid(q)), each a mean; computed from the logits, where it cannot overflow."""
    return F.softplus(-positive).mean() + F.softplus(negative).mean()


def weighted_cross_entropy(positive: Tensor, negative: Tensor, weight: Tensor | None = None) -> Tensor:
    """Mean of w (-ln sigmoid(p) - ln(1 - sigmoid(q)))."""
    each = F.softplus(-positive) + F.softplus(negative).mean(1)
    return (_given(weight) * each).mean()


def auc(positive: Tensor, negative: Tensor, weight: Tensor | None = None) -> Tensor:
    """Sum of (1 - (p - q))^2."""
    return (1 - _lead(positive, negative)).square().sum()


def hinge_auc(positive: Tensor, negative: Tensor, weight: Tensor | None = None) -> Tensor:
    """Sum of max(0, 1 - (p - q))^2."""
    return (1 - _lead(positive, negative)).clamp(min=0).square().sum()


def weighted_auc(positive: Tensor, negative: Tensor, weight: Tensor | None = None) -> Tensor:
    """Sum of w (1 - (p - q))^2."""
    return (_given(weight)[:, None] * (1 - _lead(positive, negative)).square()).sum()


def adaptive_auc(positive: Tensor, negative: Tensor, weight: Tensor | None = None) -> Tensor:
    """Sum of (w - (p - q))^2."""
    return (_given(weight)[:, None] - _lead(positive, negative)).square().sum()


def weighted_hinge_auc(positive: Tensor, negative: Tensor, weight: Tensor | None = None) -> Tensor:
    """Sum of w max(0, w - (p - q))^2."""
    w = _given(weight)[:, None]
    return (w * (w - _lead(positive, negative)).clamp(min=0).square()).sum()


def adaptive_hinge_auc(positive: Tensor, negative: Tensor, weight: Tensor | None = None) -> Tensor:
    """Sum of max(0, w - (p - q))^2."""
    return (_given(weight)[:, None] - _lead(positive, negative)).clamp(min=0).square().sum()


def log_rank(positive: Tensor, negative: Tensor, weight: Tensor | None = None) -> Tensor:
    """Mean of -ln sigmoid(p - q)."""
    return F.softplus(-_lead(positive, negative)).mean()


def info_nce(positive: Tensor, negative: Tensor, weight: Tensor | None = None) -> Tensor:
    """Mean of -ln(e^p / (e^p + sum over j of e^q_j))."""
    scores = torch.cat([positive[:, None], negative], dim=1)
    return (scores.logsumexp(1) - positive).mean()


LINK_LOSSES: dict[str, LinkLoss] = {
    "cross_entropy": cross_entropy,
    "weighted_cross_entropy": weighted_cross_entropy,
    "auc": auc,
    "hinge_auc": hinge_auc,
    "weighted_auc": weighted_auc,
    "adaptive_auc": adaptive_auc,
    "weighted_hinge_auc": weighted_hinge_auc,
    "adaptive_hinge_auc": adaptive_hinge_auc,
    "log_rank": log_rank,
    "info_nce": info_nce,
}


def needs_weight(name: str) -> bool:
    return name.startswith(("weighted", "adaptive"))


def _lead(positive: Tensor, negative: Tensor) -> Tensor:
    return positive[:, None] - negative


def _given(weight: Tensor | None) -> Tensor:
    if weight is None:
        raise ValueError("a weighted or adaptive loss needs the weights of the positives")
    return weight
