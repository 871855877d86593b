"""How well each test edge does, by the official score of its data."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from agdn.report.gather.link_answers import LinkAnswers


@dataclass(frozen=True)
class Merit:
    """``values`` (P,) in 0..1, of each test edge; their mean is what ``name`` says of all of them."""

    name: str
    values: Tensor


def official_k(metric: str) -> int | None:
    """The K of hits@K; None for any other score."""
    return int(metric.removeprefix("hits@")) if metric.startswith("hits@") else None


def nth_best(k: int) -> str:
    """``20th best negative``."""
    return {1: "best negative", 3: "3rd best negative"}.get(k, f"{k}th best negative")


def threshold(asked: LinkAnswers) -> float | None:
    """The score that an edge must beat; None where the official score has no single one."""
    k = official_k(asked.run.metric)
    if k is None or asked.split.negatives_per_edge is not None or len(asked.negative) < k:
        return None
    return float(asked.negative.topk(k).values[-1])


def merit(asked: LinkAnswers) -> Merit:
    """Found or not for hits@K, the reciprocal rank for mrr, and else the share of negatives that an edge outranks."""
    metric, positive, negative = asked.run.metric, asked.positive, asked.negative
    k = official_k(metric)
    if metric == "mrr":
        return Merit("mean reciprocal rank", asked.trained.task.reciprocal_ranks(positive, negative))
    if k is not None and asked.split.negatives_per_edge is not None:
        found = asked.trained.task.reciprocal_ranks(positive, negative) >= 1 / k
        return Merit(f"rank {k} or better", found.double())
    if k is not None:
        least = threshold(asked)
        found = torch.ones_like(positive) if least is None else positive > least
        return Merit(f"above the {nth_best(k)}", found.double())
    ordered = negative.sort().values
    below = torch.searchsorted(ordered, positive) + torch.searchsorted(ordered, positive, right=True)
    return Merit("negatives outranked", below.double() / (2 * len(negative)))
