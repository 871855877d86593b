"""Where the nodes of a small graph are drawn: stress majorisation, the same for the same graph.

stress(p) = sum over pairs i < j of (|p_i - p_j| - d_ij)^2 / d_ij^2, with d_ij the number of edges between them

It begins at classical scaling of d, and each step solves for the minimum of a bound on the stress from above.
Components are laid out by themselves and set side by side.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, shortest_path

STEPS = 80
GAP = 1.2  # between components, in lengths of an edge
JITTER = 1e-3  # nodes that no distance tells apart still need places of their own


def layout(num_nodes: int, edges: np.ndarray) -> np.ndarray:
    """(N, 2) places in 0..1, from (E, 2) pairs whose direction does not count; the longer side of the drawing is 1."""
    if num_nodes == 0:
        return np.zeros((0, 2))
    pairs = np.concatenate([edges, edges[:, ::-1]])
    adjacency = sparse.csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(num_nodes, num_nodes))
    adjacency.data[:] = 1
    count, label = connected_components(adjacency, directed=False)
    sizes = np.bincount(label, minlength=count)
    places = np.zeros((num_nodes, 2))
    boxes = []
    for component in np.argsort(-sizes, kind="stable"):
        members = np.flatnonzero(label == component)
        drawn = _connected(adjacency[members][:, members])
        drawn -= drawn.min(0)
        places[members] = drawn
        boxes.append((members, drawn.max(0)))
    for (members, _), corner in zip(boxes, _side_by_side([size for _, size in boxes]), strict=True):
        places[members] += corner
    scaled: np.ndarray = places / max(float(places.max()), 1e-9)
    return scaled


def _connected(adjacency: sparse.csr_array) -> np.ndarray:
    size = adjacency.shape[0]
    if size == 1:
        return np.zeros((1, 2))
    if size == 2:
        return np.array([[0.0, 0.0], [1.0, 0.0]])
    distance = shortest_path(adjacency, directed=False, unweighted=True)
    weight = 1 / np.maximum(distance, 1) ** 2
    np.fill_diagonal(weight, 0)
    laplacian = np.diag(weight.sum(1)) - weight
    inverse = np.linalg.pinv(laplacian)
    places = _classical_scaling(distance) + JITTER * np.random.default_rng(0).standard_normal((size, 2))
    for _ in range(STEPS):
        apart = np.linalg.norm(places[:, None] - places[None, :], axis=2)
        pull = -np.divide(weight * distance, apart, out=np.zeros_like(apart), where=apart > 0)
        np.fill_diagonal(pull, 0)
        np.fill_diagonal(pull, -pull.sum(1))
        places = inverse @ (pull @ places)
    return places


def _classical_scaling(distance: np.ndarray) -> np.ndarray:
    """(N, 2) the two widest directions of points with about these distances."""
    squared = distance**2
    centred = squared - squared.mean(0) - squared.mean(1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    widest: np.ndarray = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0))
    return widest


def _side_by_side(sizes: list[np.ndarray]) -> list[np.ndarray]:
    """The lower corners of boxes set in rows, the largest first, to fill about a square."""
    padded = [size + GAP for size in sizes]
    row_width = max(max(size[0] for size in padded), float(sum(size[0] * size[1] for size in padded)) ** 0.5)
    corners, x, y, height = [], 0.0, 0.0, 0.0
    for width, depth in padded:
        if x > 0 and x + width > row_width * 1.05:
            x, y, height = 0.0, y + height, 0.0
        corners.append(np.array([x, y]))
        x, height = x + width, max(height, depth)
    return corners
