"""How much alike the states of nodes are: what over-smoothing does to them, as two numbers.

The normalised Dirichlet energy, a Rayleigh quotient of the normalised Laplacian (Cai and Wang, A note on
over-smoothing for graph neural networks, 2020):

    E(H) = 1/2 sum_(j -> i) |h_i / sqrt(d_i) - h_j / sqrt(d_j)|^2 / sum_i |h_i|^2

with in-degrees d_i of targets and out-degrees d_j of sources. It lies in [0, 2]; 0 where neighbours agree up to the
roots of their degrees.

The mean cosine of all pairs of different nodes, with u_i = h_i / |h_i|:

    c(H) = sum_(i != j) <u_i, u_j> / (N (N - 1)) = (|sum_i u_i|^2 - sum_i |u_i|^2) / (N (N - 1))

1 where all nodes point the same way. A row of zeros has no direction and a cosine of 0 with every other.
"""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.graph import Graph

BLOCK = 1 << 24  # floats of gathered rows at a time


def dirichlet_energy(h: Tensor, graph: Graph) -> float:
    """E(H) of ``h`` (N, C); 0 of states that are all zero."""
    h = h.detach().double()
    scaled_source = h * _root(graph.out_degree).unsqueeze(1)
    scaled_target = h * _root(graph.in_degree).unsqueeze(1)
    total, edges = h.new_zeros(()), max(1, BLOCK // max(1, h.size(1)))
    source, target = graph.edge_index.long()
    for begin in range(0, graph.num_edges, edges):
        part = slice(begin, begin + edges)
        total += (scaled_target[target[part]] - scaled_source[source[part]]).square().sum()
    norm = float(h.square().sum())
    return 0.5 * float(total) / norm if norm > 0 else 0.0


def mean_cosine(h: Tensor) -> float:
    """c(H) of ``h`` (N, C) with at least two rows."""
    count = h.size(0)
    if count < 2:
        raise ValueError(f"the mean cosine is one of pairs of nodes; there is {count} row")
    unit = torch.nn.functional.normalize(h.detach().double(), dim=1)
    own = float(unit.square().sum())
    return (float(unit.sum(0).square().sum()) - own) / (count * (count - 1))


def _root(degree: Tensor) -> Tensor:
    return degree.double().clamp(min=1).rsqrt()
