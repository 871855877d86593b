"""Products of node pairs, element by element or summed, and their gradients, node by node."""

from __future__ import annotations

from numba import prange

from agdn.ops.kernels.jit import kernel, serial_kernel


@kernel
def product(chunks, h, pairs, out):
    for chunk in prange(len(chunks) - 1):
        for p in range(chunks[chunk], chunks[chunk + 1]):
            u, v, o = h[pairs[0, p]], h[pairs[1, p]], out[p]
            for c in range(len(o)):
                o[c] = u[c] * v[c]


@serial_kernel
def visits_by_node(pairs, indptr, visits):
    """A counting sort: visits[indptr[n]:indptr[n + 1]] are 2p + side for the pairs that node n stands in."""
    count = pairs.shape[1]
    for side in range(2):
        for p in range(count):
            indptr[pairs[side, p] + 1] += 1
    for n in range(len(indptr) - 1):
        indptr[n + 1] += indptr[n]
    for p in range(count - 1, -1, -1):
        for side in range(1, -1, -1):
            n = pairs[side, p] + 1
            indptr[n] -= 1
            visits[indptr[n]] = 2 * p + side
    # indptr[n + 1] has come down to the start of n: shift it back by one place
    for n in range(len(indptr) - 1):
        indptr[n] = indptr[n + 1]
    indptr[len(indptr) - 1] = 2 * count


@kernel
def product_back(chunks, indptr, visits, pairs, g, h, out):
    for chunk in prange(len(chunks) - 1):
        for n in range(chunks[chunk], chunks[chunk + 1]):
            o = out[n]
            for c in range(len(o)):
                o[c] = 0
            for at in range(indptr[n], indptr[n + 1]):
                p, side = visits[at] >> 1, visits[at] & 1
                up, other = g[p], h[pairs[1 - side, p]]
                for c in range(len(o)):
                    o[c] += up[c] * other[c]


@kernel
def dot(chunks, a, b, pairs, out):
    zero = a.dtype.type(0)
    for chunk in prange(len(chunks) - 1):
        for p in range(chunks[chunk], chunks[chunk + 1]):
            u, v, total = a[pairs[0, p]], b[pairs[1, p]], zero
            for c in range(len(u)):
                total += u[c] * v[c]
            out[p] = total


@kernel
def dot_back(chunks, indptr, visits, ends, g, other, out):
    """out[n] = sum of g[p] * other[ends[p]] over the pairs of node n."""
    for chunk in prange(len(chunks) - 1):
        for n in range(chunks[chunk], chunks[chunk + 1]):
            o = out[n]
            for c in range(len(o)):
                o[c] = 0
            for at in range(indptr[n], indptr[n + 1]):
                p = visits[at]
                up, row = g[p], other[ends[p]]
                for c in range(len(o)):
                    o[c] += up * row[c]
