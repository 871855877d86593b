"""Products of every node's row with a few vectors that all nodes share."""

from __future__ import annotations

from numba import prange

from agdn.ops.kernels.jit import kernel


@kernel
def dots(chunks, z, vectors, out):
    """out[p, i, h] = <z[i, h], vectors[p, h]>."""
    zero = z.dtype.type(0)
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            for h in range(z.shape[1]):
                row = z[i, h]
                for p in range(len(vectors)):
                    vector, total = vectors[p, h], zero
                    for c in range(len(row)):
                        total += row[c] * vector[c]
                    out[p, i, h] = total


@kernel
def dots_back(chunks, g, z, vectors, z_grad, sums):
    """z_grad[i, h] = sum over p of g[p, i, h] vectors[p, h]; sums[chunk, p, h] of g[p, i, h] z[i, h]."""
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            for h in range(z.shape[1]):
                row, out = z[i, h], z_grad[i, h]
                for p in range(len(vectors)):
                    factor, vector, total = g[p, i, h], vectors[p, h], sums[chunk, p, h]
                    if p == 0:
                        for c in range(len(row)):
                            out[c] = factor * vector[c]
                            total[c] += factor * row[c]
                    else:
                        for c in range(len(row)):
                            out[c] += factor * vector[c]
                            total[c] += factor * row[c]
