"""Sampled neighbourhoods: some of the edges into each node of a frontier, and the nodes that they discover.

The random bits of a node are a hash of the seed and the node: what is drawn for it depends neither on the number of
threads nor on the other nodes.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.dropout import hash64
from agdn.ops.kernels.jit import kernel, prefetch, row_function, serial_kernel
from agdn.ops.kernels.scratch import NOWHERE
from agdn.ops.kernels.walks import below

SCANNED = 64  # edges drawn by looking among those drawn before; more are drawn by going through all of the node's
AHEAD = 16


@row_function
def quota(degree, fanout, replace):
    """How many edges a node brings: all for a negative fanout, and with replacement ``fanout`` if it has any."""
    if fanout < 0:
        return degree
    if replace:
        return fanout if degree > 0 else 0
    return min(degree, fanout)


@row_function
def choose(key, start, degree, fanout, replace, out):
    """``out`` = places of the edges drawn from start..start + degree, as many as the quota."""
    if fanout < 0 or (degree <= fanout and not replace):
        for j in range(len(out)):
            out[j] = start + j
    elif replace:
        for j in range(len(out)):
            out[j] = start + below(hash64(key, j), degree)
    elif fanout <= SCANNED:
        choose_scanning(key, start, degree, out)
    else:
        choose_in_turn(key, start, degree, out)


@row_function
def choose_scanning(key, start, degree, out):
    """Floyd's way: draw from one more each time; what was drawn before gives way to the last one."""
    for j in range(len(out)):
        last = degree - len(out) + j
        place = start + below(hash64(key, j), last + 1)
        for k in range(j):
            if out[k] == place:
                place = start + last
                break
        out[j] = place


@row_function
def choose_in_turn(key, start, degree, out):
    """Each edge in turn is taken with the chance (edges still wanted) / (edges left)."""
    taken = 0
    for j in range(degree):
        if below(hash64(key, j), degree - j) < len(out) - taken:
            out[taken] = start + j
            taken += 1


@serial_kernel
def number(nodes, place):
    """Number the nodes from 0. Returns how many different ones there are."""
    different = 0
    for i in range(len(nodes)):
        if place[nodes[i]] == NOWHERE:
            different += 1
        place[nodes[i]] = i
    return different


@serial_kernel
def forget(nodes, place):
    for i in range(len(nodes)):
        place[nodes[i]] = NOWHERE


@serial_kernel
def quotas(nodes, indptr, fanout, replace, offsets):
    """offsets[i] = how many edges the nodes before the i-th bring."""
    offsets[0] = 0
    for i in range(len(nodes)):
        offsets[i + 1] = offsets[i] + quota(indptr[nodes[i] + 1] - indptr[nodes[i]], fanout, replace)


@kernel
def draw(chunks, frontier, offsets, indptr, indices, fanout, replace, seed, edges, sources):
    """The edges drawn for each node of the frontier, and their sources."""
    for chunk in prange(len(chunks) - 1):
        first, last = chunks[chunk], chunks[chunk + 1]
        for i in range(first, last):
            node = frontier[i]
            start, degree = indptr[node], indptr[node + 1] - indptr[node]
            choose(hash64(seed, node), start, degree, fanout, replace, edges[offsets[i] : offsets[i + 1]])
        for k in range(np.uint64(offsets[first]), np.uint64(offsets[last])):  # a loop of its own: cache misses overlap
            sources[k] = indices[np.uint64(edges[k])]


@serial_kernel
def discover(sources, place, nodes, count):
    """Number the sources, in place; new ones are appended to the ``count`` nodes. Returns how many nodes there are."""
    for k in range(len(sources)):
        if k + AHEAD < len(sources):
            prefetch(place, np.int64(sources[k + AHEAD]))
        node = sources[k]
        known = place[node]
        new = known < 0
        nodes[count] = node  # overwritten by the next one unless it is new: no branch to mispredict
        here = count if new else known
        place[node] = here
        sources[k] = here
        count += 1 if new else 0
    return count
