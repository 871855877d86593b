"""Node pairs as single numbers, so that they can be sorted and looked up."""

from __future__ import annotations

import torch
from torch import Tensor


def ordered_keys(pairs: Tensor, nodes: int) -> Tensor:
    """(P,) of (2, P) pairs, whose direction counts."""
    return pairs[0] * nodes + pairs[1]


def unordered_keys(pairs: Tensor, nodes: int) -> Tensor:
    """(P,) of (2, P) pairs, the same for (u, v) and (v, u)."""
    return torch.minimum(pairs[0], pairs[1]) * nodes + torch.maximum(pairs[0], pairs[1])


def among(keys: Tensor, ordered: Tensor) -> Tensor:
    """Whether each key is one of a sorted list, by bisection: torch.isin is ten times slower on millions of pairs."""
    if ordered.numel() == 0:
        return torch.zeros(keys.shape, dtype=torch.bool)
    at = torch.searchsorted(ordered, keys.contiguous()).clamp(max=len(ordered) - 1)
    return ordered[at] == keys
