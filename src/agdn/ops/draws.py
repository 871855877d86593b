"""Random choices that are repeatable from a seed, one by one: the i-th depends on the seed and i alone."""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.ops.backend import require_kernels


def uniform_draws(count: int, limit: int, *, seed: int, dtype: torch.dtype = torch.int64) -> Tensor:
    """(count,) whole numbers below ``limit``, all alike likely; none where there is nothing to draw from."""
    require_kernels("random draws")
    from agdn.ops.kernels.draws import uniform
    from agdn.ops.kernels.jit import use_threads

    use_threads()
    out = torch.empty(count if limit > 0 else 0, dtype=dtype)
    uniform(limit, seed, out.numpy())
    return out


def weighted_draws(count: int, cumulative: Tensor, *, seed: int) -> Tensor:
    """(count,) places of a table of weights, given as its running sums in float64, with chances as the weights say."""
    require_kernels("random draws")
    from agdn.ops.kernels.draws import weighted
    from agdn.ops.kernels.jit import use_threads

    use_threads()
    out = torch.empty(count if len(cumulative) else 0, dtype=torch.int64)
    weighted(cumulative.numpy(), seed, out.numpy(), work=count)
    return out
