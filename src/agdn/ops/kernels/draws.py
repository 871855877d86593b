"""Random numbers by position: a hash of the seed and of where they stand."""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.dropout import hash64
from agdn.ops.kernels.jit import kernel
from agdn.ops.kernels.walks import below, first_above, unit


@kernel
def uniform(limit, seed, out):
    """out[i] = one of 0..limit - 1."""
    for i in prange(len(out)):
        bits = hash64(seed, i)
        out[i] = below(bits, limit) if limit < 2**32 else np.int64(unit(bits) * limit)


@kernel
def weighted(cumulative, seed, out):
    """out[i] = a place of ``cumulative``, the running sums of the weights, by weight."""
    for i in prange(len(out)):
        value = unit(hash64(seed, i)) * cumulative[-1]
        out[i] = min(first_above(cumulative, 0, len(cumulative), value), len(cumulative) - 1)
