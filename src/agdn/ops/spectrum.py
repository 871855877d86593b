"""Eigenvalues of the normalised Laplacian L = I - D^-1/2 A D^-1/2, in 0..2, as a histogram.

Small graphs: all eigenvalues. Large ones: the kernel polynomial method (Weisse, Wellein, Alvermann and Fehske, 2006),
from moments of Chebyshev polynomials T_k of L - I, which random vectors r estimate,

    m_k = mean over r of <r, T_k(L - I) r> / <r, r>
    density(x) = (m_0 + 2 sum_k g_k m_k T_k(x)) / (pi sqrt(1 - x^2))

with Jackson's damping g_k. A graph whose edges all have their like in the other direction is taken as it is, repeated
edges and all; of any other, edges count in both directions, once.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.normalise import normalised_adjacency
from agdn.ops.propagate import propagate

EXACT = 3000  # nodes up to which all eigenvalues are computed
MOMENTS, VECTORS, POINTS = 96, 24, 4096


@torch.no_grad()
def laplacian_histogram(graph: Graph, bins: int = 40, *, exact: int = EXACT) -> np.ndarray:
    """(bins,) shares of the eigenvalues in equal parts of 0..2; they sum to one."""
    graph = graph if _is_symmetric(graph) else graph.undirected()
    if graph.num_nodes <= exact:
        counts, _ = np.histogram(laplacian_eigenvalues(graph), bins, (0.0, 2.0))
        shares: np.ndarray = counts / max(counts.sum(), 1)
        return shares
    return _by_moments(graph, bins)


@torch.no_grad()
def laplacian_eigenvalues(graph: Graph) -> np.ndarray:
    """(N,) all of them, rising, of a symmetric graph; a node without edges has a row of the identity, and so 1."""
    weight = normalised_adjacency(graph, "sym", dtype=torch.float64).squeeze(1)
    dense = torch.eye(graph.num_nodes, dtype=torch.float64)
    dense.index_put_((graph.targets.long(), graph.indices.long()), -weight, accumulate=True)
    values: np.ndarray = torch.linalg.eigvalsh(dense).clamp(0.0, 2.0).numpy()
    return values


def _by_moments(graph: Graph, bins: int) -> np.ndarray:
    generator = torch.Generator().manual_seed(0)
    vectors = torch.randn(graph.num_nodes, 1, VECTORS, generator=generator)
    weight = normalised_adjacency(graph, "sym", dtype=vectors.dtype)

    def applied(v: Tensor) -> Tensor:
        return -propagate(v, weight, graph)  # L - I

    length = float(vectors.double().square().sum())
    before, current = vectors, applied(vectors)
    moments = [1.0, float((vectors * current).double().sum()) / length]
    while len(moments) < MOMENTS:
        before, current = current, 2 * applied(current) - before
        moments.append(float((vectors * current).double().sum()) / length)
    k, last = np.arange(MOMENTS), MOMENTS + 1
    angle = math.pi * k / last
    damping = ((last - k) * np.cos(angle) + np.sin(angle) / math.tan(math.pi / last)) / last
    theta = (np.arange(POINTS) + 0.5) * math.pi / POINTS  # x = cos(theta), where density dx is even in theta
    weights = damping * np.array(moments) * np.where(k == 0, 1, 2)
    density = np.maximum(np.cos(np.outer(theta, k)) @ weights, 0) / POINTS
    shares, _ = np.histogram(1 + np.cos(theta), bins, (0.0, 2.0), weights=density)
    shares[shares < 0.5 / graph.num_nodes] = 0.0  # less than half an eigenvalue is none
    normalised: np.ndarray = shares / shares.sum()
    return normalised


def _is_symmetric(graph: Graph) -> bool:
    """Whether every edge is there as often as its reverse."""
    sources, targets = graph.indices.long(), graph.targets.long()
    there, back = sources * graph.num_nodes + targets, targets * graph.num_nodes + sources
    return bool(torch.equal(there.sort().values, back.sort().values))
