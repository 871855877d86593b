"""Edge arrays brought from one order to the other."""

from __future__ import annotations

from numba import prange

from agdn.ops.kernels.jit import kernel


@kernel
def permuted(values, order, out, back):
    """out[e] = values[order[e]], or (``back``) out[order[e]] = values[e]."""
    for e in prange(len(order)):
        for h in range(values.shape[1]):
            if back:
                out[order[e], h] = values[e, h]
            else:
                out[e, h] = values[order[e], h]
