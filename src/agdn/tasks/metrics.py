"""The scores of node tasks, as OGB's evaluator and scikit-learn define them."""

from __future__ import annotations

import torch
from torch import Tensor

HIGHER_IS_BETTER: dict[str, bool] = {"accuracy": True, "macro_f1": True, "rocauc": True, "mae": False, "r2": True}


def accuracy(predicted: Tensor, y: Tensor) -> float:
    """Share of the nodes whose class is right; both (M,) int64."""
    return int((predicted == y).sum()) / len(y)


def macro_f1(predicted: Tensor, y: Tensor) -> float:
    """Mean over the classes that occur, in truth or prediction, of 2 TP / (2 TP + FP + FN); both (M,) int64."""
    size = int(torch.maximum(predicted.max(), y.max())) + 1
    right = torch.bincount(y[predicted == y], minlength=size).double()
    occurrences = (torch.bincount(y, minlength=size) + torch.bincount(predicted, minlength=size)).double()
    present = occurrences > 0
    return float((2 * right[present] / occurrences[present]).mean())


def rocauc(scores: Tensor, y: Tensor) -> float:
    """Area under the ROC curve, averaged over the tasks that have both classes.

    ``scores`` (M,) or (M, T), higher for class 1; ``y`` of the same shape holds 0, 1 and NaN for unknown. Tied scores
    count half.
    """
    scores, y = scores.reshape(len(scores), -1), y.reshape(len(y), -1)
    areas = [_area(scores[:, task], y[:, task]) for task in range(y.size(1)) if has_both_classes(y[:, task])]
    if not areas:
        raise ValueError("rocauc needs a task with nodes of both classes among those it is computed on; there is none")
    return sum(areas) / len(areas)


def has_both_classes(y: Tensor) -> bool:
    return bool((y == 1).any() and (y == 0).any())


def mae(predicted: Tensor, y: Tensor) -> float:
    """Mean absolute error; both (M,)."""
    return float((predicted.double() - y.double()).abs().mean())


def r2(predicted: Tensor, y: Tensor) -> float:
    """Share of the variance explained; for a constant target 1 where every prediction is right, else 0."""
    predicted, y = predicted.double(), y.double()
    error, spread = float(((y - predicted) ** 2).sum()), float(((y - y.mean()) ** 2).sum())
    if spread == 0:
        return 1.0 if error == 0 else 0.0
    return 1 - error / spread


def _area(scores: Tensor, y: Tensor) -> float:
    """The Mann-Whitney statistic: the chance that a positive outranks a negative."""
    known = ~y.isnan() if y.is_floating_point() else torch.ones_like(y, dtype=torch.bool)
    positive = y[known] == 1
    _, group, size = scores[known].unique(return_inverse=True, return_counts=True)
    last = size.cumsum(0).double()
    rank = (last - (size.double() - 1) / 2)[group]  # from 1; tied scores share their mean rank
    positives, negatives = int(positive.sum()), int((~positive).sum())
    wins = float(rank[positive].sum()) - positives * (positives + 1) / 2
    return wins / (positives * negatives)
