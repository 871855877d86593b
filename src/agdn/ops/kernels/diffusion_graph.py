"""Columns of a diffusion matrix, one source at a time, cut to what matters; see :mod:`agdn.ops.diffusion_graph`.

Each thread has arrays of its own with an entry for every node, empty between two sources: ``nodes`` are lists of node
ids, ``values`` what lies at the nodes. A column depends on its source and the graph alone.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.heuristics import IDLE, QUEUED, TOUCHED
from agdn.ops.kernels.jit import kernel, row_function


@row_function
def push_column(source, alpha, tolerance, indptr, indices, a, nodes, state, values):
    """values[0] = about alpha sum over k of (1 - alpha)^k A^k e_source; returns how many nodes are in nodes[0].

    What waits at a node is passed on while it is more than the tolerance times the edges that take it further.
    """
    touched, queue, estimate, residual = nodes[0], nodes[1], values[0], values[1]
    size = len(queue)
    touched[0], queue[0], state[source], residual[source] = source, source, QUEUED, 1.0
    count, head, waiting = 1, 0, 1
    while waiting > 0:
        node = queue[head]
        head = head + 1 if head + 1 < size else 0
        waiting -= 1
        state[node] = TOUCHED
        mass, residual[node] = residual[node], 0.0
        estimate[node] += alpha * mass
        for e in range(indptr[node], indptr[node + 1]):
            neighbour = indices[e]
            residual[neighbour] += (1 - alpha) * mass * a[e]
            if state[neighbour] == IDLE:
                touched[count], state[neighbour] = neighbour, TOUCHED
                count += 1
            edges = max(1, indptr[neighbour + 1] - indptr[neighbour])
            if state[neighbour] == TOUCHED and residual[neighbour] > tolerance * edges:
                at = head + waiting
                queue[at if at < size else at - size] = neighbour
                waiting += 1
                state[neighbour] = QUEUED
    return count


@row_function
def series_column(source, coefficients, tolerance, indptr, indices, a, nodes, state, values):
    """values[0] = about the sum over k of coefficients[k] A^k e_source; returns how many nodes are in nodes[0].

    Of every power, what is below the tolerance times the node's edges is not passed on.
    """
    touched, estimate = nodes[0], values[0]
    here, there = 1, 2
    nodes[here, 0], values[here, source] = source, 1.0
    reached, count = 1, 0
    for k in range(len(coefficients)):
        following = 0
        for j in range(reached):
            node = nodes[here, j]
            mass, values[here, node] = values[here, node], 0.0
            if state[node] == IDLE:
                touched[count], state[node] = node, TOUCHED
                count += 1
            estimate[node] += coefficients[k] * mass
            if k + 1 == len(coefficients) or mass <= tolerance * (indptr[node + 1] - indptr[node]):
                continue
            for e in range(indptr[node], indptr[node + 1]):
                neighbour = indices[e]
                if values[there, neighbour] == 0.0:
                    nodes[there, following] = neighbour
                    following += 1
                values[there, neighbour] += mass * a[e]
        here, there, reached = there, here, following
    return count


@kernel
def columns(coefficients, by_push, tolerance, indptr, indices, a, top_k, epsilon, starts, counts, targets, found,
            nodes, state, values):  # fmt: skip
    """Of every column the ``top_k`` largest entries (0 for all) that are at least ``epsilon``.

    They go to ``targets`` and ``found`` from ``starts`` on; where these are empty, entries are counted alone.
    """
    for piece in prange(len(nodes)):
        for source in range(piece, len(counts), len(nodes)):
            if by_push:
                count = push_column(
                    source, coefficients[0], tolerance, indptr, indices, a, nodes[piece], state[piece], values[piece]
                )
            else:
                count = series_column(
                    source, coefficients, tolerance, indptr, indices, a, nodes[piece], state[piece], values[piece]
                )
            touched, estimate = np.sort(nodes[piece, 0, :count]), values[piece, 0]
            order = np.argsort(-estimate[touched], kind="mergesort")
            taken = 0
            for place in order:
                node = touched[place]
                if (top_k > 0 and taken == top_k) or estimate[node] < epsilon or estimate[node] == 0.0:
                    break
                if len(targets) > 0:
                    targets[starts[source] + taken], found[starts[source] + taken] = node, estimate[node]
                taken += 1
            counts[source] = taken
            for node in touched:
                values[piece, 0, node], values[piece, 1, node], state[piece, node] = 0.0, 0.0, IDLE
