"""The scores of many node pairs, so many at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

Watch = Callable[[str, int, int], None]
"""Called with what is scored, how many pairs are done and how many there are."""


@torch.no_grad()
def score_pairs(
    model: nn.Module, states: Any, pairs: Tensor, batch_size: int, what: str = "pairs", watch: Watch | None = None
) -> Tensor:
    """(P,) float32 logits on the CPU of (2, P) pairs, which may lie in a mapped file: a batch is read at a time."""
    count = pairs.size(1)
    scores = torch.empty(count)
    device = states.device if isinstance(states, Tensor) else pairs.device
    for begin in range(0, count, batch_size):
        end = min(begin + batch_size, count)
        scores[begin:end] = model.decode(states, pairs[:, begin:end].to(device)).float().cpu()  # type: ignore[operator]
        if watch is not None:
            watch(what, end, count)
    bad = scores.isnan()
    if bool(bad.any()):
        pair = pairs[:, int(bad.nonzero()[0])].tolist()
        raise ValueError(
            f"{int(bad.sum())} of {count} scores of {what} are NaN, first of pair {pair}; the model diverged"
        )
    return scores
