"""The scores of link tasks, as OGB's evaluator defines them: a tie is no success, and NaN is refused."""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.tasks.metrics import rocauc

HITS = (1, 3, 10, 20, 50, 100)
LINK_METRICS = (*(f"hits@{k}" for k in HITS), "mrr", "rocauc", "average_precision")
HARD_METRICS = ("hard_mrr", *(f"hard_hits@{k}" for k in HITS))  # among hard negatives, beside the official score
ROWS = 1 << 14  # positives whose negatives are ranked at once


def hits(positive: Tensor, negative: Tensor, k: int) -> float:
    """Share of the positives (P,) that score strictly more than the k-th best of all negatives (Q,)."""
    _check(positive, negative)
    if len(negative) < k:
        return 1.0
    threshold = negative.topk(k).values[-1]
    return int((positive > threshold).sum()) / len(positive)


def reciprocal_ranks(positive: Tensor, negative: Tensor) -> Tensor:
    """(P,) of every positive among its own negatives (P, n); tied ones count half."""
    _check(positive, negative)
    ranks = []
    for own, others in zip(positive.split(ROWS), negative.split(ROWS), strict=True):
        above = (others > own[:, None]).sum(1)
        level = (others >= own[:, None]).sum(1)
        ranks.append(1 / (0.5 * (above + level).double() + 1))
    return torch.cat(ranks)


def shared_reciprocal_ranks(positive: Tensor, negative: Tensor) -> Tensor:
    """(P,) of every positive among negatives (Q,) that serve all; tied ones count half."""
    _check(positive, negative)
    ordered = negative.sort().values
    not_above = torch.searchsorted(ordered, positive, right=True) + torch.searchsorted(ordered, positive)
    return 1 / (len(negative) - 0.5 * not_above.double() + 1)


def hits_of(ranks: Tensor, k: int) -> float:
    """Share of reciprocal ranks that are among the first k."""
    return float((ranks >= 1 / k).double().mean())


def link_rocauc(positive: Tensor, negative: Tensor) -> float:
    """The chance that a positive outranks a negative; tied ones count half."""
    _check(positive, negative)
    return rocauc(torch.cat([positive, negative]), _truth(positive, negative))


def average_precision(positive: Tensor, negative: Tensor) -> float:
    """Sum over thresholds of precision times the recall gained there; tied scores share a threshold."""
    _check(positive, negative)
    values, group = torch.cat([positive, negative]).unique(return_inverse=True)
    found = torch.bincount(group, weights=_truth(positive, negative).double(), minlength=len(values)).flip(0)
    named = torch.bincount(group, minlength=len(values)).flip(0)
    precision = found.cumsum(0) / named.cumsum(0)
    return float((precision * found).sum() / len(positive))


def _truth(positive: Tensor, negative: Tensor) -> Tensor:
    return torch.cat([torch.ones(len(positive)), torch.zeros(len(negative))])


def _check(positive: Tensor, negative: Tensor) -> None:
    if not positive.numel() or not negative.numel():
        raise ValueError("links are scored on positives and negatives; there are none of one kind")
    for name, scores in (("positive", positive), ("negative", negative)):
        if bool(scores.isnan().any()):
            raise ValueError(f"{int(scores.isnan().sum())} scores of {name} pairs are NaN; a score must be a number")
