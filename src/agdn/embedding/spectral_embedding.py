"""Vectors whose inner products give back the links of a graph as well as so few numbers can.

A = U diag(lambda) U^T        Z = U |diag(lambda)|^(1/2) of the eigenvalues that are largest in size

<Z_u, sign(lambda) Z_v> is the best approximation of A of that rank (Eckart and Young, 1936), so what is learnt from Z
begins where the structure of the graph is known already.
"""

from __future__ import annotations

import numpy as np
import torch
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import eigsh
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.checks import check_counts

ITERATED = 4  # nodes for each channel from which on the leading vectors alone are looked for


def spectral_embedding(graph: Graph, *, dim: int) -> Tensor:
    """(N, dim) float32, the largest eigenvalue first; links count in both directions, repeated ones once."""
    check_counts(dim=dim)
    n = graph.num_nodes
    if dim > n:
        raise ValueError(f"a graph of {n} nodes has {n} eigenvectors; dim={dim} asks for more")
    links = graph.to("cpu").undirected().edge_index.numpy()
    adjacency = csr_matrix((np.ones(links.shape[1]), (links[0], links[1])), shape=(n, n))
    if n >= ITERATED * dim:
        values, vectors = eigsh(adjacency, k=dim, which="LM", v0=np.ones(n))
    else:
        values, vectors = np.linalg.eigh(adjacency.toarray())
    order = np.argsort(-np.abs(values), kind="stable")[:dim]
    values, vectors = values[order], vectors[:, order]
    largest = np.abs(vectors).argmax(0)
    vectors *= np.where(vectors[largest, np.arange(dim)] < 0, -1.0, 1.0)  # a vector's sign is free; so it is fixed
    return torch.from_numpy((vectors * np.sqrt(np.abs(values))).astype(np.float32))
