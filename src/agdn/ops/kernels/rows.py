"""What is done to one node's row of one hop; see :mod:`agdn.ops.diffuse` for the formulas.

Vectors are (H, D) and the same for all nodes: ``key`` and ``query`` are S * b_key and S * b_query, ``gain`` is
kappa * S and ``shift`` is kappa * O. Scalars are per node and head.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.jit import borrowing_function, kernel

LAYER, L2 = 1, 2
# Columns of the backward coefficients of a node, head and hop.
GAIN, KEY, QUERY, CONSTANT, SLOPE, MEAN, ALPHA = range(7)


@borrowing_function
def probe(z, key, query, norm, eps, mean, rstd, key_dot, query_dot):
    """Statistics of a row and its products with the attention vectors."""
    heads, channels = z.shape
    zero, one = z.dtype.type(0), z.dtype.type(1)
    for h in range(heads):
        row, k, q = z[h], key[h], query[h]
        centre, spread, scale = zero, zero, one
        if norm == LAYER:
            for c in range(channels):
                centre += row[c]
            centre = z.dtype.type(centre / channels)
            for c in range(channels):
                spread += (row[c] - centre) * (row[c] - centre)
            scale = z.dtype.type(1 / np.sqrt(spread / channels + eps))
        elif norm == L2:
            for c in range(channels):
                spread += row[c] * row[c]
            length = np.sqrt(spread)
            scale = z.dtype.type(1 / (length if not length < eps else eps))
        dot_key, dot_query = zero, zero
        for c in range(channels):
            dot_key += (row[c] - centre) * k[c]
            dot_query += (row[c] - centre) * q[c]
        mean[h], rstd[h], key_dot[h], query_dot[h] = centre, scale, scale * dot_key, scale * dot_query


@borrowing_function
def accumulate(out, z, gain, shift, keep, weight, mean, rstd):
    """out = keep * out + weight * ((z - mean) * rstd * gain + shift)."""
    heads, channels = z.shape
    for h in range(heads):
        o, row, g, s = out[h], z[h], gain[h], shift[h]
        w, slope = weight[h], weight[h] * rstd[h]
        constant, kept = -mean[h] * slope, keep[h]
        if kept == 0:
            for c in range(channels):
                o[c] = (slope * row[c] + constant) * g[c] + w * s[c]
        else:
            for c in range(channels):
                o[c] = kept * o[c] + (slope * row[c] + constant) * g[c] + w * s[c]


@borrowing_function
def add_own_gradient(y, z, g, gain, key, query, coefficient, fresh):
    """y (+)= gradient that reaches this hop's row from the combination itself."""
    heads, channels = z.shape
    for h in range(heads):
        out, row, up, ga, k, q, factor = y[h], z[h], g[h], gain[h], key[h], query[h], coefficient[h]
        a, b, c_, d, e = factor[GAIN], factor[KEY], factor[QUERY], factor[CONSTANT], factor[SLOPE]
        if fresh:
            for c in range(channels):
                out[c] = a * ga[c] * up[c] + b * k[c] + c_ * q[c] - d - e * row[c]
        else:
            for c in range(channels):
                out[c] += a * ga[c] * up[c] + b * k[c] + c_ * q[c] - d - e * row[c]


@borrowing_function
def add_product(z, g, gain, product):
    """product (H,) += <g * gain, z>, of a hop without norm."""
    zero = z.dtype.type(0)
    for h in range(z.shape[0]):
        row, up, ga, total = z[h], g[h], gain[h], zero
        for c in range(z.shape[1]):
            total += up[c] * ga[c] * row[c]
        product[h] += total


@borrowing_function
def add_to_sums(sums, z, g, coefficient, want_signal, want_key, want_query):
    """Sums over nodes from which every parameter's gradient is made; rows of ``sums`` as in ``diffuse``."""
    heads, channels = z.shape
    for h in range(heads):
        row, up, factor = z[h], g[h], coefficient[h]
        a, b, c_, centre, alpha = factor[GAIN], factor[KEY], factor[QUERY], factor[MEAN], factor[ALPHA]
        if want_signal:
            signal, plain = sums[0, h], sums[1, h]
            for c in range(channels):
                signal[c] += a * up[c] * (row[c] - centre)
                plain[c] += alpha * up[c]
        if want_key:
            total = sums[2, h]
            for c in range(channels):
                total[c] += b * (row[c] - centre)
        if want_query:
            total = sums[3, h]
            for c in range(channels):
                total[c] += c_ * (row[c] - centre)


@kernel
def take_channels(chunks, table, start, out):
    """out = table[:, start:], as many channels as there are in ``out``."""
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            for c in range(out.shape[1]):
                out[i, c] = table[i, start + c]


@kernel
def put_channels(chunks, part, table, start):
    """table[:, start:] = part."""
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            for c in range(part.shape[1]):
                table[i, start + c] = part[i, c]
