"""Scores of node pairs from the graph alone: weighted overlaps of rows, counts of walks, personalised PageRank.

Each thread has arrays of its own with an entry for every node, empty between two sources. A sum depends on its source,
its target and the graph alone: neither on the number of threads nor on the other pairs.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from agdn.ops.kernels.jit import kernel, row_function

IDLE, TOUCHED, QUEUED = 0, 1, 2


@row_function
def mark(node, indptr, indices, weight, values):
    for e in range(np.uint64(indptr[node]), np.uint64(indptr[node + 1])):
        neighbour = np.uint64(indices[e])
        values[neighbour] += weight[neighbour]


@row_function
def unmark(node, indptr, indices, values):
    for e in range(np.uint64(indptr[node]), np.uint64(indptr[node + 1])):
        values[np.uint64(indices[e])] = 0.0


@njit(nogil=True, fastmath=False, error_model="numpy")
def gather(node, indptr, indices, values):
    """The sum of the values of a node's neighbours. Four sums at once, since each has to wait for its last addition."""
    e, end = np.uint64(indptr[node]), np.uint64(indptr[node + 1])
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    while e + np.uint64(4) <= end:
        a += values[np.uint64(indices[e])]
        b += values[np.uint64(indices[e + np.uint64(1)])]
        c += values[np.uint64(indices[e + np.uint64(2)])]
        d += values[np.uint64(indices[e + np.uint64(3)])]
        e += np.uint64(4)
    while e < end:
        a += values[np.uint64(indices[e])]
        e += np.uint64(1)
    return (a + b) + (c + d)


@row_function
def overlap_some(order, marked, gathered, out_indptr, out_indices, in_indptr, in_indices, weight, values, out):
    num_nodes, last = len(weight), -1
    for p in order:
        row = marked[p]
        if row != last:
            if last >= num_nodes:
                unmark(last - num_nodes, in_indptr, in_indices, values)
            elif last >= 0:
                unmark(last, out_indptr, out_indices, values)
            if row >= num_nodes:
                mark(row - num_nodes, in_indptr, in_indices, weight, values)
            else:
                mark(row, out_indptr, out_indices, weight, values)
            last = row
        if row >= num_nodes:
            out[p] = gather(gathered[p], out_indptr, out_indices, values)
        else:
            out[p] = gather(gathered[p], in_indptr, in_indices, values)


@kernel
def overlap(pieces, order, marked, gathered, out_indptr, out_indices, in_indptr, in_indices, weight, values, out):
    """out[p] = sum of the weights of the nodes that a row marked and a row gathered share.

    Of a pair one row is marked, n for the edges out of node n and N + n for those into it; the other one is gathered.
    ``order`` brings pairs with the same marked row together.
    """
    for piece in prange(len(pieces) - 1):
        overlap_some(
            order[pieces[piece] : pieces[piece + 1]], marked, gathered, out_indptr, out_indices, in_indptr, in_indices,
            weight, values[piece], out,
        )  # fmt: skip


@row_function
def step(beta, indptr, indices, found, count, values, next_found, next_values):
    """next_values = beta * values A. Empties ``values``, and returns how many nodes are reached."""
    reached = 0
    for j in range(count):
        node = found[j]
        share = beta * values[node]
        values[node] = 0.0
        if share > 0:
            for e in range(np.uint64(indptr[node]), np.uint64(indptr[node + 1])):
                neighbour = np.uint64(indices[e])
                if next_values[neighbour] == 0:
                    next_found[reached] = neighbour
                    reached += 1
                next_values[neighbour] += share
    return reached


@row_function
def walks_from(source, beta, length, indptr, indices, found, values):
    """values[0] = sum for l = 0..length - 1 of beta^l e_source A^l, by Horner's rule: (the nodes reached, where)."""
    found[0, 0], values[0, source], count, here = source, 1.0, 1, 0
    for _ in range(length - 1):
        there = 1 - here
        count = step(beta, indptr, indices, found[here], count, values[here], found[there], values[there])
        if values[there, source] == 0:
            found[there, count] = source
            count += 1
        values[there, source] += 1.0
        here = there
    return count, here


@kernel
def count_walks(
    sources, first, order, targets, beta, length, out_indptr, out_indices, in_indptr, in_indices, found, values, out
):  # fmt: skip
    """out[p] = sum for l = 1..length of beta^l (A^l)_uv; the last step is taken backwards, from the targets."""
    for piece in prange(len(found)):
        for s in range(piece, len(sources), len(found)):
            source = sources[s]
            count, here = walks_from(source, beta, length, out_indptr, out_indices, found[piece], values[piece])
            for at in range(first[source], first[source + 1]):
                p = order[at]
                out[p] = beta * gather(targets[p], in_indptr, in_indices, values[piece, here])
            for j in range(count):
                values[piece, here, found[piece, here, j]] = 0.0


@row_function
def push_from(source, alpha, limit, indptr, indices, nodes, state, estimate, residual):
    """Forward push, first in, first out, while more than its limit waits at a node: the estimate of pi_source.

    nodes[0] = the nodes touched; returns how many.
    """
    touched, queue = nodes[0], nodes[1]
    size = len(queue)
    touched[0], queue[0], state[source], residual[source] = source, source, QUEUED, 1.0
    count, head, waiting = 1, 0, 1
    while waiting > 0:
        node = queue[head]
        head = head + 1 if head + 1 < size else 0
        waiting -= 1
        state[node] = TOUCHED
        mass, start, end = residual[node], indptr[node], indptr[node + 1]
        residual[node] = 0.0
        if start == end:
            estimate[node] += mass
            continue
        estimate[node] += alpha * mass
        share = (1 - alpha) * mass / (end - start)
        for e in range(np.uint64(start), np.uint64(end)):
            neighbour = np.uint64(indices[e])
            residual[neighbour] += share
            if state[neighbour] == QUEUED:
                continue
            if state[neighbour] == IDLE:
                touched[count], state[neighbour] = neighbour, TOUCHED
                count += 1
            if residual[neighbour] > limit[neighbour]:
                at = head + waiting
                queue[at if at < size else at - size] = neighbour
                waiting += 1
                state[neighbour] = QUEUED
    return count


@kernel
def pagerank(sources, first, visits, pairs, alpha, limit, indptr, indices, nodes, state, values, out):
    """out[side, p] = pi of the pair's node on that side, read at the node on the other side."""
    for piece in prange(len(nodes)):
        estimate, residual = values[piece, 0], values[piece, 1]
        for s in range(piece, len(sources), len(nodes)):
            source = sources[s]
            count = push_from(source, alpha, limit, indptr, indices, nodes[piece], state[piece], estimate, residual)
            for at in range(first[source], first[source + 1]):
                p, side = visits[at] >> 1, visits[at] & 1
                out[side, p] = estimate[pairs[1 - side, p]]
            for j in range(count):
                node = nodes[piece, 0, j]
                estimate[node], residual[node], state[piece, node] = 0.0, 0.0, IDLE
