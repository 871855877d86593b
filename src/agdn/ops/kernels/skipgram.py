"""Skip-gram with negative sampling, a batch of walks at a time.

A walk's rows and its negatives are gathered once into a block that stays in the cache; the scores of all its pairs and
their gradients are then small dense products. Every walk writes its own gradients, and every row of the table is
changed by one thread that adds up the row's gradients in the order of the walks.
"""

from __future__ import annotations

import math

import numpy as np
from numba import prange

from agdn.ops.kernels.dropout import hash64
from agdn.ops.kernels.jit import kernel, row_function, serial_kernel
from agdn.ops.kernels.walks import below

EPSILON = np.float32(1e-10)


@row_function
def dots(rows, centre, first, last, out):
    """out[j] = <rows[centre], rows[j]> for j in first..last, four rows at a time."""
    u = rows[centre]
    zero = rows.dtype.type(0)
    j = first
    while j + 4 <= last:
        a, b, c, d = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
        sum_a, sum_b, sum_c, sum_d = zero, zero, zero, zero
        for k in range(len(u)):
            value = u[k]
            sum_a += value * a[k]
            sum_b += value * b[k]
            sum_c += value * c[k]
            sum_d += value * d[k]
        out[j], out[j + 1], out[j + 2], out[j + 3] = sum_a, sum_b, sum_c, sum_d
        j += 4
    while j < last:
        a, sum_a = rows[j], zero
        for k in range(len(u)):
            sum_a += u[k] * a[k]
        out[j] = sum_a
        j += 1


@row_function
def add_rows(rows, factors, first, last, out):
    """out += factors[j] rows[j] over j in first..last, four rows at a time."""
    j = first
    while j + 4 <= last:
        a, b, c, d = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
        by_a, by_b, by_c, by_d = factors[j], factors[j + 1], factors[j + 2], factors[j + 3]
        for k in range(len(out)):
            out[k] += (by_a * a[k] + by_b * b[k]) + (by_c * c[k] + by_d * d[k])
        j += 4
    while j < last:
        a, by_a = rows[j], factors[j]
        for k in range(len(out)):
            out[k] += by_a * a[k]
        j += 1


@row_function
def pulls(nodes, centre, first, last, label, scores, by_partner):
    """Scores in first..last become label - sigmoid(score), how far a pair is to move together; a node is no pair."""
    one = scores.dtype.type(1)
    for j in range(first, last):
        chance = one / (one + math.exp(-scores[j]))
        scores[j] = scores.dtype.type(0) if nodes[j] == nodes[centre] else label - chance
        by_partner[j, centre] = scores[j]


@kernel
def gradients(chunks, walks, noise, table, window, seed, nodes, grads):
    """The ascent directions of every walk's rows; nodes (B, R) says whose, a walk's own nodes before its negatives.

    In row i of ``pull`` stand the pairs of centre i: the ``window - 1`` nodes that follow it, and all negatives.
    """
    length, count = walks.shape[1], nodes.shape[1]
    centres = length - window + 1
    for chunk in prange(len(chunks) - 1):
        rows = np.empty((count, table.shape[1]), table.dtype)
        pull, by_partner = np.empty((centres, count), table.dtype), np.empty((count, centres), table.dtype)
        zero, one = table.dtype.type(0), table.dtype.type(1)
        for w in range(chunks[chunk], chunks[chunk + 1]):
            own, out, key = nodes[w], grads[w], hash64(seed, w)
            for j in range(count):
                own[j] = walks[w, j] if j < length else noise[below(hash64(key, j), len(noise))]
                rows[j] = table[own[j]]
                out[j] = zero
            for i in range(centres):
                dots(rows, i, i + 1, i + window, pull[i])
                dots(rows, i, length, count, pull[i])
                pulls(own, i, i + 1, i + window, one, pull[i], by_partner)
                pulls(own, i, length, count, zero, pull[i], by_partner)
                add_rows(rows, pull[i], i + 1, i + window, out[i])
                add_rows(rows, pull[i], length, count, out[i])
            for j in range(1, length):
                add_rows(rows, by_partner[j], max(0, j - window + 1), min(j, centres), out[j])
            for j in range(length, count):
                add_rows(rows, by_partner[j], 0, centres, out[j])


@serial_kernel
def places_by_node(nodes, indptr, places):
    """A counting sort: the places of node n in ``nodes`` become places[indptr[n]:indptr[n + 1]]; indptr is (N + 2,)."""
    indptr[:] = 0
    for at in range(len(nodes)):
        indptr[nodes[at] + 2] += 1
    for n in range(2, len(indptr)):
        indptr[n] += indptr[n - 1]
    for at in range(len(nodes)):
        n = nodes[at] + 1
        places[indptr[n]] = at
        indptr[n] += 1


@kernel
def ascend(chunks, indptr, places, grads, lr, table, squares):
    """Adagrad with one step size a row: the rate falls with the mean square of the gradients the row has seen."""
    for chunk in prange(len(chunks) - 1):
        total = np.empty(table.shape[1], table.dtype)
        for n in range(chunks[chunk], chunks[chunk + 1]):
            if indptr[n] < indptr[n + 1]:
                total[:] = table.dtype.type(0)
                for at in range(indptr[n], indptr[n + 1]):
                    row = grads[places[at]]
                    for k in range(len(total)):
                        total[k] += row[k]
                square = table.dtype.type(0)
                for k in range(len(total)):
                    square += total[k] * total[k]
                squares[n] += square / len(total)
                rate, row = table.dtype.type(lr / math.sqrt(squares[n] + EPSILON)), table[n]
                for k in range(len(total)):
                    row[k] += rate * total[k]
