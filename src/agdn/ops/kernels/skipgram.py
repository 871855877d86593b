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
from agdn.ops.kernels.jit import kernel, row_function
from agdn.ops.kernels.row_table import add_rows, climb, dots
from agdn.ops.kernels.walks import below


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
        dots(rows[i], rows[i + 1 : i + window], pull[i, i + 1 : i + window])
        pulls(nodes, i, i + window, label, weight, pull[i], by_context)
        add_rows(rows[i + 1 : i + window], pull[i, i + 1 : i + window], out[i])
    for j in range(1, length):
        first, last = max(0, j - window + 1), min(j, centres)
        add_rows(rows[first:last], by_context[j, first:last], out[j])


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


@kernel
def ascend(chunks, indptr, places, grads, lr, table, squares):
    """Every row of the table takes one step along the sum of its gradients."""
    for chunk in prange(len(chunks) - 1):
        total = np.empty(table.shape[1], table.dtype)
        for n in range(chunks[chunk], chunks[chunk + 1]):
            if indptr[n] < indptr[n + 1]:
                total[:] = table.dtype.type(0)
                for at in range(indptr[n], indptr[n + 1]):
                    row = grads[places[at]]
                    for k in range(len(total)):
                        total[k] += row[k]
                climb(total, lr, table[n], squares[n : n + 1])
