"""Sampled neighbourhoods of single nodes, each with all edges among its own nodes, as one disjoint union.

Every neighbourhood is found twice, first to be measured and then to be written, which is cheaper than to keep it.
Roots come first in the union, then the other nodes of each neighbourhood.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.dropout import hash64
from agdn.ops.kernels.jit import kernel, row_function
from agdn.ops.kernels.neighbours import choose, quota
from agdn.ops.kernels.scratch import NOWHERE
from agdn.ops.kernels.subgraphs import sort_row
from agdn.ops.kernels.walks import first_at_least

LONG = 16  # times the nodes of a neighbourhood: in a longer row they are looked up one by one


@row_function
def with_room(array, size):
    if len(array) >= size:
        return array
    longer = np.empty(2 * size, array.dtype)
    longer[: len(array)] = array
    return longer


@row_function
def explore(root, seed, fanouts, replace, indptr, indices, place, found, chosen):
    """The nodes within len(fanouts) drawn hops of the root, numbered as they are found: (found, chosen, how many)."""
    key, count, first = hash64(seed, root), 1, 0
    found[0], place[root] = root, 0
    for hop in range(len(fanouts)):
        last = count
        for j in range(first, last):
            node = found[j]
            start, degree = indptr[node], indptr[node + 1] - indptr[node]
            drawn = quota(degree, fanouts[hop], replace)
            found, chosen = with_room(found, count + drawn), with_room(chosen, drawn)
            choose(hash64(key, node), start, degree, fanouts[hop], replace, chosen[:drawn])
            for k in range(drawn):
                source = indices[chosen[k]]
                if place[source] == NOWHERE:
                    place[source], found[count] = count, source
                    count += 1
        first = last
    return found, chosen, count


@row_function
def count_row(node, indptr, indices, place, found):
    """How many edges lead into a node from those found."""
    start, end, total = indptr[node], indptr[node + 1], 0
    if end - start > LONG * len(found):
        for j in range(len(found)):
            at = first_at_least(indices, start, end, found[j])
            while at < end and indices[at] == found[j]:
                total += 1
                at += 1
    else:
        for e in range(start, end):
            if place[indices[e]] != NOWHERE:
                total += 1
    return total


@row_function
def write_row(node, indptr, indices, order, place, found, at, out_indices, out_origin):
    """Those edges, written from ``at`` on and sorted by source. Returns where they end."""
    start, end, first = indptr[node], indptr[node + 1], at
    if end - start > LONG * len(found):
        for j in range(len(found)):
            e = first_at_least(indices, start, end, found[j])
            while e < end and indices[e] == found[j]:
                out_indices[at], out_origin[at] = place[found[j]], order[e]
                at += 1
                e += 1
    else:
        for e in range(start, end):
            if place[indices[e]] != NOWHERE:
                out_indices[at], out_origin[at] = place[indices[e]], order[e]
                at += 1
    sort_row(out_indices, out_origin, first, at)
    return at


@row_function
def measure_some(first, last, roots, seed, fanouts, replace, indptr, indices, place, sizes):
    found, chosen = np.empty(256, indices.dtype), np.empty(256, np.int64)
    for i in range(first, last):
        found, chosen, count = explore(roots[i], seed, fanouts, replace, indptr, indices, place, found, chosen)
        sizes[i, 0] = count - 1
        sizes[i, 1] = count_row(roots[i], indptr, indices, place, found[:count])
        sizes[i, 2] = 0
        for j in range(1, count):
            sizes[i, 2] += count_row(found[j], indptr, indices, place, found[:count])
        for j in range(count):
            place[found[j]] = NOWHERE


@row_function
def write_some(
    first, last, roots, seed, fanouts, replace, indptr, indices, order, place, offsets, nodes, out_indptr, out_indices,
    out_origin,
):  # fmt: skip
    found, chosen = np.empty(256, indices.dtype), np.empty(256, np.int64)
    for i in range(first, last):
        found, chosen, count = explore(roots[i], seed, fanouts, replace, indptr, indices, place, found, chosen)
        own = found[:count]
        shift = offsets[i, 0] - 1
        nodes[i], place[roots[i]] = roots[i], i
        for j in range(1, count):
            nodes[shift + j], place[own[j]] = own[j], shift + j
        at = offsets[i, 1]
        out_indptr[i + 1] = write_row(roots[i], indptr, indices, order, place, own, at, out_indices, out_origin)
        at = offsets[i, 2]
        for j in range(1, count):
            at = write_row(own[j], indptr, indices, order, place, own, at, out_indices, out_origin)
            out_indptr[shift + j + 1] = at
        for j in range(count):
            place[own[j]] = NOWHERE


@kernel
def measure(pieces, roots, seed, fanouts, replace, indptr, indices, places, sizes):
    """sizes[i] = nodes beside the root, edges into the root, edges into the others; each piece has its own places."""
    for piece in prange(len(pieces) - 1):
        measure_some(
            pieces[piece], pieces[piece + 1], roots, seed, fanouts, replace, indptr, indices, places[piece], sizes
        )


@kernel
def write(
    pieces, roots, seed, fanouts, replace, indptr, indices, order, places, offsets, nodes, out_indptr, out_indices,
    out_origin,
):  # fmt: skip
    """The union; offsets[i] = where the i-th neighbourhood's sizes begin in nodes and in edges."""
    for piece in prange(len(pieces) - 1):
        write_some(
            pieces[piece], pieces[piece + 1], roots, seed, fanouts, replace, indptr, indices, order, places[piece],
            offsets, nodes, out_indptr, out_indices, out_origin,
        )  # fmt: skip
