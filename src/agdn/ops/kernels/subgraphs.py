"""Node-induced subgraphs, in the work of the chosen rows alone.

Who belongs to the subgraph is a bitmap, which stays in the cache where the map from nodes to their new numbers would
not: every edge of the chosen rows asks the bitmap, only the kept ones ask the map. Places are unsigned in the inner
loops, since a signed one is first asked whether it counts from the end.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.jit import kernel, lowest_bit, prefetch, row_function, serial_kernel
from agdn.ops.kernels.scratch import NOWHERE

ONE, WORD, WITHIN = np.uint64(1), np.uint64(6), np.uint64(63)
SHORT = 32  # rows that are sorted by insertion
AHEAD = 8  # rows


@row_function
def bit_of(node):
    return ONE << np.uint64(node & 63)


@serial_kernel
def mark(nodes, place, members):
    """Number the nodes from 0. Returns how many different ones there are, and whether they ascend."""
    different, ascending = 0, True
    for i in range(len(nodes)):
        node = nodes[i]
        if members[node >> 6] & bit_of(node) == 0:
            different += 1
        if i > 0 and nodes[i - 1] >= node:
            ascending = False
        members[node >> 6] |= bit_of(node)
        place[node] = i
    return different, ascending


@serial_kernel
def unmark(nodes, place, members):
    for i in range(len(nodes)):
        place[nodes[i]] = NOWHERE
        members[nodes[i] >> 6] = 0


@serial_kernel
def different(nodes, members, out):
    """Each of the nodes once, ascending, into ``out``. Returns how many; ``members`` is all 0 before and after."""
    for i in range(len(nodes)):
        members[nodes[i] >> 6] |= bit_of(nodes[i])
    count = 0
    for word in range(len(members)):
        bits = members[word]
        while bits != 0:
            out[count] = (word << 6) + np.int64(lowest_bit(bits))
            bits &= bits - ONE
            count += 1
        members[word] = 0
    return count


@kernel
def select(chunks, starts, nodes, indptr, indices, members, edges, sizes):
    """The edges into the nodes of chunk c whose sources are members, from edges[starts[c]] on; sizes[i] of node i."""
    for chunk in prange(len(chunks) - 1):
        at, last = np.uint64(starts[chunk]), chunks[chunk + 1]
        for i in range(chunks[chunk], last):
            prefetch(indices, indptr[nodes[min(i + AHEAD, last - 1)]])
            before = at
            for e in range(np.uint64(indptr[nodes[i]]), np.uint64(indptr[nodes[i] + 1])):
                source = np.uint64(indices[e])
                edges[at] = e  # overwritten by the next one unless the source is a member: no branch to mispredict
                at += (members[source >> WORD] >> (source & WITHIN)) & ONE
            sizes[i] = at - before


@kernel
def settle(chunks, starts, indptr, edges, parent_indices, parent_order, place, ascending, indices, origin):
    """The selected edges, chunk after chunk, with their sources' new numbers; rows are sorted by them."""
    for chunk in prange(len(chunks) - 1):
        first, last = chunks[chunk], chunks[chunk + 1]
        shift = np.uint64(starts[chunk] - indptr[first])
        for k in range(np.uint64(indptr[first]), np.uint64(indptr[last])):
            edge = np.uint64(edges[k + shift])
            indices[k] = place[np.uint64(parent_indices[edge])]
            origin[k] = parent_order[edge]
        if not ascending:
            for i in range(first, last):
                sort_row(indices, origin, indptr[i], indptr[i + 1])


@kernel
def settle_rows(chunks, indptr, edges, parent_order, indices, origin):
    """For edges that stand where they belong, with their sources numbered: origins, and rows sorted by source."""
    for chunk in prange(len(chunks) - 1):
        first, last = chunks[chunk], chunks[chunk + 1]
        for k in range(np.uint64(indptr[first]), np.uint64(indptr[last])):  # a loop of its own: cache misses overlap
            origin[k] = parent_order[np.uint64(edges[k])]
        for i in range(first, last):
            sort_row(indices, origin, indptr[i], indptr[i + 1])


@row_function
def sort_row(indices, origin, first, last):
    """Sort first..last by ``indices``; equal ones keep their order."""
    if last - first > SHORT:
        by = np.argsort(indices[first:last], kind="mergesort")
        indices[first:last] = indices[first:last][by]
        origin[first:last] = origin[first:last][by]
        return
    for k in range(first + 1, last):
        source, edge, j = indices[k], origin[k], k - 1
        while j >= first and indices[j] > source:
            indices[j + 1], origin[j + 1] = indices[j], origin[j]
            j -= 1
        indices[j + 1], origin[j + 1] = source, edge
