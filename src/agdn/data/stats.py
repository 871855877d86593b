"""What a graph looks like: homophily, components, isolated nodes, repeated edges."""

from __future__ import annotations

import numpy as np
import torch
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from agdn.data.pairs import sorted_unique
from agdn.graph import Graph


def edge_homophily(graph: Graph, y: Tensor) -> float:
    """Share of edges between nodes of one class, among those whose ends both have a known class."""
    ends = y[graph.edge_index]
    known = (ends >= 0).all(0)
    same = (ends[0] == ends[1]) & known
    return float(same.sum()) / max(int(known.sum()), 1)


def node_homophily(graph: Graph, y: Tensor) -> float:
    """Mean over nodes of the share of incoming neighbours of their own class; nodes without any are left out."""
    source, target = graph.edge_index
    known = (y[source] >= 0) & (y[target] >= 0)
    source, target = source[known], target[known]
    count = torch.bincount(target, minlength=graph.num_nodes)
    same = torch.bincount(target[y[source] == y[target]], minlength=graph.num_nodes)
    seen = count > 0
    return float((same[seen] / count[seen]).mean()) if bool(seen.any()) else 0.0


def adjusted_homophily(graph: Graph, y: Tensor) -> float:
    """Edge homophily beyond what the degrees of the classes give by chance: 0 for a random graph, 1 at most."""
    source, target = graph.edge_index
    known = (y[source] >= 0) & (y[target] >= 0)
    ends = torch.cat([y[source[known]], y[target[known]]])
    if ends.numel() == 0:
        return 0.0
    shares = torch.bincount(ends).double() / ends.numel()
    chance = float((shares**2).sum())
    return (edge_homophily(graph, y) - chance) / (1 - chance) if chance < 1 else 0.0


def component_sizes(graph: Graph) -> np.ndarray:
    """Nodes in each weakly connected component, the largest first."""
    adjacency = sparse.csr_matrix(
        (np.ones(graph.num_edges, np.int8), graph.indices.numpy(), graph.indptr.numpy()),
        shape=(graph.num_nodes, graph.num_nodes),
    )
    _, labels = connected_components(adjacency, directed=True, connection="weak")
    return np.sort(np.bincount(labels))[::-1]


def num_isolated(graph: Graph) -> int:
    """Nodes without any edge to or from another node."""
    source, target = graph.edge_index
    seen = torch.zeros(graph.num_nodes, dtype=torch.bool)
    linked = source != target
    seen[source[linked]] = True
    seen[target[linked]] = True
    return int((~seen).sum())


def num_self_loops(graph: Graph) -> int:
    return int((graph.indices == graph.targets).sum())


def num_duplicates(graph: Graph) -> int:
    """Edges that repeat another one."""
    if graph.num_edges < 2:
        return 0
    repeats = (graph.indices[1:] == graph.indices[:-1]) & (graph.targets[1:] == graph.targets[:-1])
    return int(repeats.sum())


def is_symmetric(graph: Graph) -> bool:
    """Whether every edge has its reverse."""
    source, target = graph.edge_index.numpy()
    forward, backward = source * graph.num_nodes + target, target * graph.num_nodes + source
    return np.array_equal(sorted_unique(forward), sorted_unique(backward))
