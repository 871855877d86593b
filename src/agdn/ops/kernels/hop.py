"""One hop and its backward, edge weights included.

    y_i = sum over edges j -> i of a_ij x_j
    x'_j = sum over edges j -> i of a_ij y'_i        a'_ij = <y'_i, x_j>

Four neighbours are added at a time, and the next rows are asked for while the current ones are summed. Rows are taken
in the order of a ``route``.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.jit import kernel, prefetch, row_function

AHEAD = 4
LINE = 64


@row_function
def ask_for(flat, row, width, step):
    start = np.int64(row) * width
    for offset in range(0, width, step):
        prefetch(flat, start + offset)


@row_function
def upcoming(e, end, following, indices):
    """The neighbour at edge ``e``, where the edges after ``end`` go on at ``following``."""
    e = e if e < end else following + (e - end)
    return indices[min(e, len(indices) - 1)]


@row_function
def gather(begin, end, following, indices, a, x, flat, y):
    """y (H, D) = sum of a[e, h] * x[indices[e], h] for e in begin..end."""
    heads, channels = y.shape
    width, step = heads * channels, LINE // y.itemsize
    for h in range(heads):
        for c in range(channels):
            y[h, c] = 0
    e = begin
    while e + 4 <= end:
        for ahead in range(4):
            ask_for(flat, upcoming(e + AHEAD + ahead, end, following, indices), width, step)
        j0, j1, j2, j3 = indices[e], indices[e + 1], indices[e + 2], indices[e + 3]
        for h in range(heads):
            w0, w1, w2, w3 = a[e, h], a[e + 1, h], a[e + 2, h], a[e + 3, h]
            x0, x1, x2, x3, out = x[j0, h], x[j1, h], x[j2, h], x[j3, h], y[h]
            for c in range(channels):
                out[c] += (w0 * x0[c] + w1 * x1[c]) + (w2 * x2[c] + w3 * x3[c])
        e += 4
    while e < end:
        ask_for(flat, upcoming(e + AHEAD, end, following, indices), width, step)
        for h in range(heads):
            w, neighbour, out = a[e, h], x[indices[e], h], y[h]
            for c in range(channels):
                out[c] += w * neighbour[c]
        e += 1


@row_function
def gather_back(begin, end, following, indices, a, y, flat, x, x_grad, a_grad, want_a):
    """x_grad (H, D) = sum of a[e, h] * y[indices[e], h]; a_grad[e, h] += <y[indices[e], h], x[h]>."""
    heads, channels = x_grad.shape
    width, step = heads * channels, LINE // x_grad.itemsize
    zero = x_grad.dtype.type(0)  # a literal would make the sums float64, and slow
    for h in range(heads):
        for c in range(channels):
            x_grad[h, c] = 0
    e = begin
    while e + 4 <= end:
        for ahead in range(4):
            ask_for(flat, upcoming(e + AHEAD + ahead, end, following, indices), width, step)
        i0, i1, i2, i3 = indices[e], indices[e + 1], indices[e + 2], indices[e + 3]
        for h in range(heads):
            w0, w1, w2, w3 = a[e, h], a[e + 1, h], a[e + 2, h], a[e + 3, h]
            y0, y1, y2, y3, out, own = y[i0, h], y[i1, h], y[i2, h], y[i3, h], x_grad[h], x[h]
            if want_a:
                dot0, dot1, dot2, dot3 = zero, zero, zero, zero
                for c in range(channels):
                    out[c] += (w0 * y0[c] + w1 * y1[c]) + (w2 * y2[c] + w3 * y3[c])
                    dot0 += y0[c] * own[c]
                    dot1 += y1[c] * own[c]
                    dot2 += y2[c] * own[c]
                    dot3 += y3[c] * own[c]
                a_grad[e, h] += dot0
                a_grad[e + 1, h] += dot1
                a_grad[e + 2, h] += dot2
                a_grad[e + 3, h] += dot3
            else:
                for c in range(channels):
                    out[c] += (w0 * y0[c] + w1 * y1[c]) + (w2 * y2[c] + w3 * y3[c])
        e += 4
    while e < end:
        ask_for(flat, upcoming(e + AHEAD, end, following, indices), width, step)
        for h in range(heads):
            w, row, out, own = a[e, h], y[indices[e], h], x_grad[h], x[h]
            dot = zero
            for c in range(channels):
                out[c] += w * row[c]
                dot += row[c] * own[c]
            if want_a:
                a_grad[e, h] += dot
        e += 1


@kernel
def product(chunks, route, indptr, indices, a, x, y):
    """y = A x."""
    flat = x.reshape(-1)
    for chunk in prange(len(chunks) - 1):
        for at in range(chunks[chunk], chunks[chunk + 1]):
            i, following = route[at], indptr[route[min(at + 1, len(route) - 1)]]
            gather(indptr[i], indptr[i + 1], following, indices, a, x, flat, y[i])


@kernel
def product_back(chunks, route, indptr, indices, a, y, x, x_grad, a_grad, want_a):
    """Both gradients of a product; all edge arrays are in the by-source order."""
    flat = y.reshape(-1)
    for chunk in prange(len(chunks) - 1):
        for at in range(chunks[chunk], chunks[chunk + 1]):
            j, following = route[at], indptr[route[min(at + 1, len(route) - 1)]]
            gather_back(indptr[j], indptr[j + 1], following, indices, a, y, flat, x[j], x_grad[j], a_grad, want_a)
