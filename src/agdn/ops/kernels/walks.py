"""Random walks over edges grouped by source, first order or second order (node2vec).

The random bits of a step are a hash of the seed, the walk's number and the step: walks do not depend on the number of
threads, nor on each other. A second-order step proposes a neighbour as a first-order one would and accepts it with a
chance in proportion to its bias; after TRIALS refusals the biases of all neighbours are summed instead, which gives
the same distribution in bounded time.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.dropout import hash64
from agdn.ops.kernels.jit import kernel, row_function

TOGETHER = 32  # walks that take their steps in turn, so that their cache misses overlap
TRIALS = 32
DRAWS = 2 * TRIALS + 1  # at most, in one step
HALF = np.uint64(32)
TO_UNIT = 2.0**-53


@row_function
def below(bits, count):
    """One of 0..count - 1, count < 2^32."""
    return np.int64(((bits >> HALF) * np.uint64(count)) >> HALF)


@row_function
def unit(bits):
    """In [0, 1)."""
    return np.float64(bits >> np.uint64(11)) * TO_UNIT


@row_function
def first_at_least(values, start, end, value):
    """The first place in start..end of an ascending run that is not below ``value``; ``end`` if there is none."""
    while start < end:
        middle = (start + end) >> 1
        if values[middle] < value:
            start = middle + 1
        else:
            end = middle
    return start


@row_function
def first_above(values, start, end, value):
    while start < end:
        middle = (start + end) >> 1
        if values[middle] <= value:
            start = middle + 1
        else:
            end = middle
    return start


@row_function
def propose(bits, start, end, cumulative):
    """An edge of start..end by weight, or any of them alike where there are no weights."""
    if len(cumulative) == 0:
        return start + below(bits, end - start)
    edge = first_above(cumulative, start, end, unit(bits) * cumulative[end - 1])
    return min(edge, end - 1)


@row_function
def bias(indptr, indices, previous, node, back, away):
    """What a walk that came from ``previous`` gives ``node``: 1/p back, 1 to a common neighbour, 1/q elsewhere."""
    if node == previous:
        return back
    end = indptr[previous + 1]
    at = first_at_least(indices, indptr[previous], end, node)
    return 1.0 if at < end and indices[at] == node else away


@row_function
def weight(edge, start, cumulative):
    if len(cumulative) == 0:
        return 1.0
    return cumulative[edge] - (cumulative[edge - 1] if edge > start else 0.0)


@row_function
def by_summing(bits, indptr, indices, cumulative, previous, start, end, back, away):
    """The second-order step by going through all edges."""
    total = 0.0
    for edge in range(start, end):
        total += weight(edge, start, cumulative) * bias(indptr, indices, previous, indices[edge], back, away)
    left, chosen = unit(bits) * total, start
    for edge in range(start, end):
        share = weight(edge, start, cumulative) * bias(indptr, indices, previous, indices[edge], back, away)
        if share > 0:
            chosen = edge
            left -= share
            if left < 0:
                break
    return chosen


@row_function
def second_order(key, counter, indptr, indices, cumulative, previous, start, end, back, away):
    """The edge of a node2vec step."""
    largest, least = max(back, 1.0, away), min(back, 1.0, away)
    for trial in range(TRIALS):
        edge = propose(hash64(key, counter + 2 * trial), start, end, cumulative)
        bar = unit(hash64(key, counter + 2 * trial + 1)) * largest
        if bar < least or bar < bias(indptr, indices, previous, indices[edge], back, away):
            return edge
    bits = hash64(key, counter + 2 * TRIALS)
    return by_summing(bits, indptr, indices, cumulative, previous, start, end, back, away)


@kernel
def walk(chunks, starts, indptr, indices, cumulative, back, away, seed, out):
    """out[i, 0] = starts[i], out[i, s] a neighbour of out[i, s - 1]; a node that leads nowhere is not left again."""
    first_order = back == 1 and away == 1
    for chunk in prange(len(chunks) - 1):
        for first in range(chunks[chunk], chunks[chunk + 1], TOGETHER):
            last = min(first + TOGETHER, chunks[chunk + 1])
            for i in range(first, last):
                out[i, 0] = starts[i]
            for step in range(1, out.shape[1]):
                for i in range(first, last):
                    node, key, counter = out[i, step - 1], hash64(seed, i), step * DRAWS
                    start, end = indptr[node], indptr[node + 1]
                    if start == end or (len(cumulative) > 0 and cumulative[end - 1] <= 0):
                        out[i, step] = node
                    elif first_order or step == 1:
                        out[i, step] = indices[propose(hash64(key, counter), start, end, cumulative)]
                    else:
                        edge = second_order(
                            key, counter, indptr, indices, cumulative, out[i, step - 2], start, end, back, away
                        )
                        out[i, step] = indices[edge]
