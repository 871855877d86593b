"""The nodes two steps away from each of some nodes, the likeliest first."""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.jit import CHUNKS, kernel


@kernel
def two_steps_away(nodes, indptr, indices, degree, found):
    """found[k] = so many of those with the largest sum of 1 / degree over what is between; -1 where there are fewer."""
    pieces = min(CHUNKS, len(nodes))
    for piece in prange(pieces):
        score = np.zeros(len(degree), np.float64)
        touched = np.empty(len(degree), np.int64)
        for k in range(piece * len(nodes) // pieces, (piece + 1) * len(nodes) // pieces):
            u, count = nodes[k], 0
            for e in range(indptr[u], indptr[u + 1]):
                w = indices[e]
                for f in range(indptr[w], indptr[w + 1]):
                    v = indices[f]
                    if score[v] == 0:
                        touched[count] = v
                        count += 1
                    score[v] += 1 / degree[w]
            score[u] = 0
            for e in range(indptr[u], indptr[u + 1]):
                score[indices[e]] = 0
            members = np.sort(touched[:count])
            order = np.argsort(-score[members], kind="mergesort")
            taken = 0
            for place in order:
                v = members[place]
                if score[v] > 0 and taken < found.shape[1]:
                    found[k, taken] = v
                    taken += 1
                score[v] = 0
