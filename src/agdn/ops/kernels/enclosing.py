"""Enclosing subgraphs of node pairs, without the link that is asked about, as one disjoint union with node labels.

As with egos, every subgraph is found twice, first to be measured and then to be written. Of each pair the two ends come
first, then the other nodes by id, so that rows stay sorted. The graph is symmetric: rows are lists of neighbours.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.dropout import hash64
from agdn.ops.kernels.egos import with_room
from agdn.ops.kernels.jit import kernel, row_function
from agdn.ops.kernels.scratch import NOWHERE

DRNL, DE, DE_PLUS = range(3)
LOOP = -1  # the origin of an edge that the graph does not have


@row_function
def thinned(found, first, last, most, key):
    """Bring ``most`` of found[first:last], drawn at random, to the front."""
    for j in range(first, first + most):
        other = j + np.int64(hash64(key, j) % np.uint64(last - j))
        found[j], found[other] = found[other], found[j]


@row_function
def enclose(u, v, hops, most, share, seed, indptr, indices, place, found):
    """The nodes within ``hops`` of u or v, so many new ones a hop: (found, how many). Places are taken.

    Of the new ones a ``share`` is kept, and of these at most ``most``, where it is not 0.
    """
    found[0], found[1], place[u], place[v] = u, v, 0, 1
    key = hash64(hash64(seed, min(u, v)), max(u, v))
    count, first = 2, 0
    for hop in range(hops):
        last = count
        for j in range(first, last):
            for e in range(indptr[found[j]], indptr[found[j] + 1]):
                neighbour = indices[e]
                if place[neighbour] == NOWHERE:
                    found = with_room(found, count + 1)
                    place[neighbour], found[count] = count, neighbour
                    count += 1
        kept = int(share * (count - last))
        kept = min(kept, most) if most > 0 else kept
        if count - last > kept:
            thinned(found, last, count, kept, hash64(key, hop))
            for j in range(last, count):
                place[found[j]] = j if j < last + kept else NOWHERE
            count = last + kept
        first = last
    return found, count


@row_function
def edges_into(node, indptr, indices, place):
    """How many edges lead into a node from the others found."""
    total = 0
    for e in range(indptr[node], indptr[node + 1]):
        total += (place[indices[e]] != NOWHERE) & (indices[e] != node)
    return total


@row_function
def links(u, v, indptr, indices):
    """How many edges lead from v to u."""
    first, last = indptr[u], indptr[u + 1]
    return first_place(v + 1, indices, first, last) - first_place(v, indices, first, last)


@row_function
def mark_neighbours(end, indptr, indices, place, near):
    """near[place of i] = True for every neighbour i of an end that was found."""
    for e in range(indptr[end], indptr[end + 1]):
        if place[indices[e]] != NOWHERE:
            near[place[indices[e]]] = True


@row_function
def first_place(value, indices, low, high):
    """Where ``value`` stands, or would stand, in the sorted indices[low:high]."""
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@row_function
def write_row(j, node, u, v, near, begin, at, indptr, indices, order, place, out_indices, out_origin):
    """The edges into the j-th node found, sorted, with its self-loop; returns where the next row begins."""
    first, last = indptr[node], indptr[node + 1]
    if j > 1 and near:
        for end in (u, v):
            e = first_place(end, indices, first, last)
            while e < last and indices[e] == end:
                out_indices[at], out_origin[at] = begin + place[end], order[e]
                at, e = at + 1, e + 1
    looped = False
    for e in range(first, last):
        other = place[indices[e]]
        if other > 1 and other != j:
            if other > j and not looped:
                out_indices[at], out_origin[at], looped = begin + j, LOOP, True
                at += 1
            out_indices[at], out_origin[at] = begin + other, order[e]
            at += 1
    if not looped:
        out_indices[at], out_origin[at] = begin + j, LOOP
        at += 1
    return at


@row_function
def spread_from(start, removed, begin, indptr, indices, distance, queue):
    """distance[i - begin] = steps from ``start`` to i where ``removed`` is not there; -1 where there is no way."""
    distance[:] = -1
    distance[start - begin], queue[0] = 0, start
    head, tail = 0, 1
    everyone = len(distance) - (1 if removed >= 0 else 0)
    while head < tail < everyone:
        node = queue[head]
        head += 1
        for e in range(indptr[node], indptr[node + 1]):
            other = indices[e]
            if other != removed and distance[other - begin] < 0:
                distance[other - begin] = distance[node - begin] + 1
                queue[tail] = other
                tail += 1


@row_function
def label_nodes(begin, end, indptr, indices, kind, far, one, two, queue, labels):
    """DRNL: labels[i, 0]; DE and DE+: the distances to both ends, ``far`` at most."""
    u, v, nobody = begin, begin + 1, -1
    size = end - begin
    spread_from(u, v if kind != DE else nobody, begin, indptr, indices, one[:size], queue)
    spread_from(v, u if kind != DE else nobody, begin, indptr, indices, two[:size], queue)
    for i in range(begin, end):
        a, b = one[i - begin], two[i - begin]
        if kind == DRNL:
            if i in (u, v):
                labels[i, 0] = 1
            elif a < 0 or b < 0:
                labels[i, 0] = 0
            else:
                half, odd = (a + b) // 2, (a + b) % 2
                labels[i, 0] = min(1 + min(a, b) + half * (half + odd - 1), far)
        else:
            labels[i, 0] = far if a < 0 or a > far else a
            labels[i, 1] = far if b < 0 or b > far else b


@kernel
def measure(pieces, pairs, hops, most, share, seed, indptr, indices, places, sizes):
    """sizes[p] = nodes and edges of the subgraph of pair p, a self-loop on every node; a piece has its own places."""
    for piece in prange(len(pieces) - 1):
        place, found = places[piece], np.empty(256, indices.dtype)
        for p in range(pieces[piece], pieces[piece + 1]):
            u, v = pairs[0, p], pairs[1, p]
            found, count = enclose(u, v, hops, most, share, seed, indptr, indices, place, found)
            total = count - 2 * links(u, v, indptr, indices)
            for j in range(count):
                total += edges_into(found[j], indptr, indices, place)
            sizes[p, 0], sizes[p, 1] = count, total
            for j in range(count):
                place[found[j]] = NOWHERE


@kernel
def write(
    pieces, pairs, hops, most, share, seed, indptr, indices, order, places, offsets, kind, far, nodes, out_indptr,
    out_indices, out_origin, labels,
):  # fmt: skip
    """The union with its labels; offsets[p] = where the nodes and the edges of pair p begin."""
    for piece in prange(len(pieces) - 1):
        place, found = places[piece], np.empty(256, indices.dtype)
        one, two = np.empty(256, np.int64), np.empty(256, np.int64)
        queue, near = np.empty(256, np.int64), np.empty(256, np.bool_)
        for p in range(pieces[piece], pieces[piece + 1]):
            u, v = pairs[0, p], pairs[1, p]
            found, count = enclose(u, v, hops, most, share, seed, indptr, indices, place, found)
            begin, at = offsets[p, 0], offsets[p, 1]
            out_indptr[begin] = at  # the pair before, perhaps another thread's, writes the same
            found[2:count].sort()
            for j in range(2, count):
                place[found[j]] = j
            near = with_room(near, count)
            near[:count] = False
            mark_neighbours(u, indptr, indices, place, near)
            mark_neighbours(v, indptr, indices, place, near)
            for j in range(count):
                nodes[begin + j] = found[j]
                at = write_row(
                    j, found[j], u, v, near[j], begin, at, indptr, indices, order, place, out_indices, out_origin
                )
                out_indptr[begin + j + 1] = at
            for j in range(count):
                place[found[j]] = NOWHERE
            one, two, queue = with_room(one, count), with_room(two, count), with_room(queue, count)
            label_nodes(begin, begin + count, out_indptr, out_indices, kind, far, one, two, queue, labels)
