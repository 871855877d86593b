"""Small communities of a graph by label propagation: each node joins the one most of its neighbours are in."""

from __future__ import annotations

import numpy as np

from agdn.ops.kernels.jit import serial_kernel

ROUNDS = 3
LARGEST = 4000  # nodes; without a limit one community swallows the rest


def by_community(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """All node ids, those of one community together, communities in the order of their mean id."""
    nodes = len(indptr) - 1
    label = np.arange(nodes)
    join(indptr, indices, label, np.ones(nodes, np.int64), np.zeros(nodes, np.int64))
    size = np.bincount(label, minlength=nodes)
    mean = np.bincount(label, weights=np.arange(nodes), minlength=nodes) / np.maximum(size, 1)
    order: np.ndarray = np.lexsort((label, mean[label])).astype(np.int32 if nodes < 2**31 else np.int64)
    return order


@serial_kernel
def join(indptr, indices, label, size, votes):
    """Move every node, in turn, to the community with most of its neighbours that has room; ``votes`` is all zero."""
    for _ in range(ROUNDS):
        for i in range(len(indptr) - 1):
            own = best = label[i]
            most = 0
            for e in range(indptr[i], indptr[i + 1]):
                candidate = label[indices[e]]
                votes[candidate] += 1
                if votes[candidate] > most and (candidate == own or size[candidate] < LARGEST):
                    most, best = votes[candidate], candidate
            for e in range(indptr[i], indptr[i + 1]):
                votes[label[indices[e]]] = 0
            if best != own:
                size[own] -= 1
                size[best] += 1
                label[i] = best
