"""Skip-gram with negative sampling, a batch of walks at a time.

The rows of a walk, or of the random nodes that stand against it, are gathered once into a block that stays in the
cache; the scores of all pairs and their gradients are then small dense products. Every block writes its own gradients,
and every row of the table is changed by one thread that adds up the row's gradients in the order of the blocks.
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
def pulls(nodes, centre, last, label, weight, scores, by_context):
    """Scores of the contexts centre + 1..last become weight (label - sigmoid(score)); a node is no pair with itself."""
    one = scores.dtype.type(1)
    for j in range(centre + 1, last):
        chance = one / (one + math.exp(-scores[j]))
        scores[j] = scores.dtype.type(0) if nodes[j] == nodes[centre] else weight * (label - chance)
        by_context[j, centre] = scores[j]


@row_function
def block_gradients(rows, nodes, window, label, weight, pull, by_context, out):
    """out[j] of every row, from all windows of a block; pull[i, j] is how far centre i and context j are to meet."""
    length = len(nodes)
    centres = length - window + 1
    out[:] = rows.dtype.type(0)
    for i in range(centres):
        dots(rows, i, i + 1, i + window, pull[i])
        pulls(nodes, i, i + window, label, weight, pull[i], by_context)
        add_rows(rows, pull[i], i + 1, i + window, out[i])
    for j in range(1, length):
        add_rows(rows, by_context[j], max(0, j - window + 1), min(j, centres), out[j])


@kernel
def gradients(chunks, walks, noise, table, window, seed, nodes, grads):
    """Ascent directions of the rows of all blocks, and whose they are; block b < B is walk b, the others are noise."""
    length = walks.shape[1]
    centres = length - window + 1
    for chunk in prange(len(chunks) - 1):
        rows = np.empty((length, table.shape[1]), table.dtype)
        pull, by_context = np.empty((centres, length), table.dtype), np.empty((length, centres), table.dtype)
        for block in range(chunks[chunk], chunks[chunk + 1]):
            own, key, real = nodes[block], hash64(seed, block), block < len(walks)
            for j in range(length):
                own[j] = walks[block, j] if real else noise[below(hash64(key, j), len(noise))]
                rows[j] = table[own[j]]
            label = table.dtype.type(1 if real else 0)
            weight = table.dtype.type(1 if real else len(walks) / (len(nodes) - len(walks)))
            block_gradients(rows, own, window, label, weight, pull, by_context, grads[block])


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
