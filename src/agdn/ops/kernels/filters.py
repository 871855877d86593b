"""A hop and what a filter does to its row while that is warm; see :mod:`agdn.ops.polynomial` and :mod:`agdn.ops.gated`.

Rows are (1, C): the transition is fixed, so all channels are one head.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.hop import gather
from agdn.ops.kernels.jit import borrowing_function, kernel


@kernel
def product_plus(chunks, route, indptr, indices, a, x, factor, term, share, y):
    """y = factor A x + share term."""
    for chunk in prange(len(chunks) - 1):
        for at in range(chunks[chunk], chunks[chunk + 1]):
            i, following = route[at], indptr[route[min(at + 1, len(route) - 1)]]
            gather(indptr[i], indptr[i + 1], following, indices, a, x, y[i])
            row, own = y[i, 0], term[i, 0]
            for c in range(len(row)):
                row[c] = factor * row[c] + share * own[c]


@kernel
def product_into_sum(chunks, route, indptr, indices, a, x, coefficient, z, y, total, dots):
    """y = A x; total += coefficient y; dots[chunk] = sum over the chunk's rows of <y_i, z_i>."""
    for chunk in prange(len(chunks) - 1):
        dot = y.dtype.type(0)
        for at in range(chunks[chunk], chunks[chunk + 1]):
            i, following = route[at], indptr[route[min(at + 1, len(route) - 1)]]
            gather(indptr[i], indptr[i + 1], following, indices, a, x, y[i])
            row, own, out, product = y[i, 0], z[i, 0], total[i, 0], y.dtype.type(0)
            for c in range(len(row)):
                out[c] += coefficient * row[c]
                product += row[c] * own[c]
            dot += product
        dots[chunk] = dot


@borrowing_function
def gate_row(z, query, bias, fresh, out):
    """out (+)= s z with s = sigmoid(<z, query> + bias), which is returned."""
    score = bias
    for c in range(len(z)):
        score += z[c] * query[c]
    gate = z.dtype.type(1 / (1 + np.exp(-score)))
    if fresh:
        for c in range(len(z)):
            out[c] = gate * z[c]
    else:
        for c in range(len(z)):
            out[c] += gate * z[c]
    return gate


@borrowing_function
def gate_row_back(g, z, gate, query, y, sums):
    """y += s g + s (1 - s) <g, z> query; ``sums`` collect the gradients of the query and, last, of the bias."""
    slope = y.dtype.type(0)
    for c in range(len(z)):
        slope += g[c] * z[c]
    slope *= gate * (1 - gate)
    for c in range(len(z)):
        y[c] += gate * g[c] + slope * query[c]
        sums[c] += slope * z[c]
    sums[len(z)] += slope


@kernel
def gate_rows(chunks, z, query, bias, fresh, gates, out):
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            gates[i] = gate_row(z[i, 0], query, bias, fresh, out[i, 0])


@kernel
def product_gated(chunks, route, indptr, indices, a, x, query, bias, y, gates, out):
    """y = A x, taken into the sum of gated hops."""
    for chunk in prange(len(chunks) - 1):
        for at in range(chunks[chunk], chunks[chunk + 1]):
            i, following = route[at], indptr[route[min(at + 1, len(route) - 1)]]
            gather(indptr[i], indptr[i + 1], following, indices, a, x, y[i])
            gates[i] = gate_row(y[i, 0], query, bias, False, out[i, 0])


@kernel
def gate_rows_back(chunks, g, z, gates, query, y, sums):
    """Gradient that reaches a hop from its gate; ``y`` holds what came from the hop after it."""
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            gate_row_back(g[i, 0], z[i, 0], gates[i], query, y[i, 0], sums[chunk])


@kernel
def product_gated_back(chunks, route, indptr, indices, a, x, g, z, gates, query, y, sums):
    """y = A^T x and the gradient from the gate of this hop; edge arrays are in the by-source order."""
    for chunk in prange(len(chunks) - 1):
        for at in range(chunks[chunk], chunks[chunk + 1]):
            i, following = route[at], indptr[route[min(at + 1, len(route) - 1)]]
            gather(indptr[i], indptr[i + 1], following, indices, a, x, y[i])
            gate_row_back(g[i, 0], z[i, 0], gates[i], query, y[i, 0], sums[chunk])
