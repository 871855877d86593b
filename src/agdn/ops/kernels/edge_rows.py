"""Scores of edges from the rows of their two ends, and sums of the edges' own attributes."""

from __future__ import annotations

from numba import prange

from agdn.ops.kernels.jit import kernel


@kernel
def dot(chunks, indptr, indices, query, key, out):
    """out[e, h] = <query[i, h], key[j, h]>."""
    zero = key.dtype.type(0)
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            for e in range(indptr[i], indptr[i + 1]):
                j = indices[e]
                for h in range(query.shape[1]):
                    asked, answer, total = query[i, h], key[j, h], zero
                    for c in range(len(asked)):
                        total += asked[c] * answer[c]
                    out[e, h] = total


@kernel
def leaky(chunks, indptr, indices, source, target, vector, slope, out):
    """out[e, h] = <vector[h], LeakyReLU(source[j, h] + target[i, h])>."""
    zero = source.dtype.type(0)
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            for e in range(indptr[i], indptr[i + 1]):
                j = indices[e]
                for h in range(source.shape[1]):
                    a, b, v, total = source[j, h], target[i, h], vector[h], zero
                    for c in range(len(a)):
                        value = a[c] + b[c]
                        total += v[c] * (value if not value < 0 else value * slope)
                    out[e, h] = total


@kernel
def leaky_back(chunks, indptr, ends, order, ordered, g, mine, other, vector, slope, out, sums):
    """The gradient of one end's rows, group by group; ``sums`` (chunks or 0, H, D) takes that of the vector."""
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            for h in range(mine.shape[1]):
                a, v, o = mine[i, h], vector[h], out[i, h]
                for c in range(len(o)):
                    o[c] = 0
                for p in range(indptr[i], indptr[i + 1]):
                    up, b = g[order[p] if ordered else p, h], other[ends[p], h]
                    for c in range(len(o)):
                        o[c] += up * v[c] * (slope if a[c] + b[c] < 0 else 1)
                    if len(sums):
                        total = sums[chunk, h]
                        for c in range(len(o)):
                            value = a[c] + b[c]
                            total[c] += up * (value if not value < 0 else value * slope)


@kernel
def attribute_dot(chunks, indptr, places, rows, attributes, out):
    """out[e, h] = <rows[i, h], attributes[place of e]>."""
    zero = rows.dtype.type(0)
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            for e in range(indptr[i], indptr[i + 1]):
                own = attributes[places[e]]
                for h in range(rows.shape[1]):
                    row, total = rows[i, h], zero
                    for c in range(len(own)):
                        total += row[c] * own[c]
                    out[e, h] = total


@kernel
def attribute_sum(chunks, indptr, places, weight, attributes, out):
    """out[i, h] = sum over the edges of i of weight[e, h] * attributes[place of e]."""
    for chunk in prange(len(chunks) - 1):
        for i in range(chunks[chunk], chunks[chunk + 1]):
            for h in range(weight.shape[1]):
                o = out[i, h]
                for c in range(len(o)):
                    o[c] = 0
                for e in range(indptr[i], indptr[i + 1]):
                    share, own = weight[e, h], attributes[places[e]]
                    for c in range(len(o)):
                        o[c] += share * own[c]
