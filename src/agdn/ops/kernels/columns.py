"""Sums over the rows of a matrix in double precision, and the batch norm made of them.

Each chunk of rows has sums of its own; the chunks depend on the number of rows alone, so the bits do not on threads.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.jit import kernel


@kernel
def column_sums(chunks, x, parts):
    """parts[chunk] = sum of its rows."""
    for chunk in prange(len(chunks) - 1):
        total = parts[chunk]
        total[:] = 0
        for i in range(chunks[chunk], chunks[chunk + 1]):
            row = x[i]
            for c in range(x.shape[1]):
                total[c] += row[c]


@kernel
def column_squares(chunks, x, mean, parts):
    """parts[chunk] = sum of (row - mean)^2."""
    for chunk in prange(len(chunks) - 1):
        total = parts[chunk]
        total[:] = 0
        for i in range(chunks[chunk], chunks[chunk + 1]):
            row = x[i]
            for c in range(x.shape[1]):
                apart = np.float64(row[c]) - mean[c]
                total[c] += apart * apart


@kernel
def column_products(chunks, x, mean, g, parts):
    """parts[chunk] = sums of g and of g (row - mean)."""
    for chunk in prange(len(chunks) - 1):
        total, product = parts[chunk, 0], parts[chunk, 1]
        total[:] = 0
        product[:] = 0
        for i in range(chunks[chunk], chunks[chunk + 1]):
            row, above = x[i], g[i]
            for c in range(x.shape[1]):
                total[c] += above[c]
                product[c] += np.float64(above[c]) * (np.float64(row[c]) - mean[c])


@kernel
def normalise(chunks, x, mean, scale, shift, out):
    """out = (x - mean) scale + shift."""
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            row, o = x[i], out[i]
            for c in range(x.shape[1]):
                o[c] = (row[c] - mean[c]) * scale[c] + shift[c]


@kernel
def normalise_back(chunks, x, mean, g, level, slope, scale, out):
    """out = (g - level - (x - mean) slope) scale."""
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            row, above, o = x[i], g[i], out[i]
            for c in range(x.shape[1]):
                o[c] = (above[c] - level[c] - (row[c] - mean[c]) * slope[c]) * scale[c]
