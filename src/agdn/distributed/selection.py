"""The smallest of numbers that lie on several ranks, without bringing them together."""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.distributed.world import World

BITS, ROUNDS = 16, 4
SIGN = -(2**63)


def smallest(keys: Tensor, count: int, world: World) -> Tensor:
    """(M,) which of this rank's distinct int64 keys are among the ``count`` smallest of all ranks.

    The count-th smallest is found digit by digit, from the highest: a histogram of the digit over all ranks tells it.
    """
    if count <= 0:
        return torch.zeros(keys.shape, dtype=torch.bool, device=keys.device)
    unsigned = keys ^ SIGN  # so that the bits are in the numbers' order
    candidates, left, found = unsigned, count, 0
    for turn in range(ROUNDS):
        shift = 64 - BITS * (turn + 1)
        digit = (candidates >> shift) & ((1 << BITS) - 1)
        histogram = world.sum(torch.bincount(digit, minlength=1 << BITS).cpu())
        passed = histogram.cumsum(0)
        at = int(torch.searchsorted(passed, left))
        if at == 1 << BITS:  # there are no more than that
            return torch.ones(keys.shape, dtype=torch.bool, device=keys.device)
        left -= int(passed[at] - histogram[at])
        candidates = candidates[digit == at]
        found = (found << BITS) | at
    threshold = found - 2**63  # back to the sign
    return keys <= threshold
