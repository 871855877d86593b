"""The graph under the rows: what the user gives, or the nearest neighbours of every row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sklearn.neighbors import NearestNeighbors
from torch import Tensor

from agdn.data.pairs import symmetric_graph
from agdn.graph import Graph


@dataclass(frozen=True)
class Structure:
    """A graph and, where its edges have them, their weights (E,) in the caller's order."""

    graph: Graph
    weight: Tensor | None = None

    def with_self_loops(self) -> Structure:
        """Exactly one on every node; those that are new weigh 1."""
        graph = self.graph.with_self_loops()
        return Structure(graph, None if self.weight is None else graph.carry(self.weight, fill=1.0))

    def joined(self, sources: np.ndarray, *, self_loops: bool) -> Structure:
        """With a new node for each row of ``sources`` (M, k), the nodes that it listens to; nobody listens to it."""
        before, (new, k) = self.graph.num_nodes, sources.shape
        ids = torch.arange(before, before + new)
        edges = [self.graph.edge_index, torch.stack([torch.from_numpy(sources.reshape(-1)), ids.repeat_interleave(k)])]
        if self_loops:
            edges.append(ids.expand(2, -1))
        graph = Graph(torch.cat(edges, dim=1), before + new)
        if self.weight is None:
            return Structure(graph)
        added = graph.num_edges - len(self.weight)
        return Structure(graph, torch.cat([self.weight, self.weight.new_ones(added)]))


def given_structure(graph: Any, num_nodes: int) -> Structure:
    """A Graph, a (2, E) tensor or array of edges, a SciPy adjacency (its values are weights) or a PyG ``Data``."""
    weight = None
    if hasattr(graph, "tocoo"):
        graph = graph.tocoo(copy=True)
        graph.eliminate_zeros()
        weight = _weights(graph.data)
    elif isinstance(graph, np.ndarray | list | tuple):
        graph = torch.as_tensor(np.asarray(graph))
    elif not isinstance(graph, Graph | Tensor) and not hasattr(graph, "edge_index"):
        raise ValueError(
            "graph must be a Graph, a (2, E) array or tensor of edges, a SciPy sparse adjacency or a PyG Data, "
            f"got {type(graph).__name__}"
        )
    built = Graph.of(graph, num_nodes)
    if built.is_bipartite or built.num_nodes != num_nodes:
        size = f"{built.num_src} x {built.num_dst}" if built.is_bipartite else str(built.num_nodes)
        raise ValueError(f"X has {num_nodes} rows, but the graph has {size} nodes; every row is a node")
    return Structure(built, weight)


def neighbour_structure(x: np.ndarray, n_neighbors: int, metric: str) -> Structure:
    """Every row linked both ways to its nearest ones."""
    count = min(n_neighbors, len(x) - 1)
    nearest = NearestNeighbors(n_neighbors=count, metric=metric).fit(x).kneighbors(return_distance=False)
    pairs = np.stack([np.repeat(np.arange(len(x)), count), nearest.reshape(-1)], axis=1)
    return Structure(symmetric_graph(pairs.astype(np.int64), len(x)))


def nearest_rows(new: np.ndarray, known: np.ndarray, n_neighbors: int, metric: str) -> np.ndarray:
    """(M, k) positions among ``known`` of the rows nearest to each new one."""
    count = min(n_neighbors, len(known))
    nearest = NearestNeighbors(n_neighbors=count, metric=metric).fit(known).kneighbors(new, return_distance=False)
    return np.asarray(nearest, dtype=np.int64)


def _weights(values: np.ndarray) -> Tensor | None:
    """None where all are 1: the adjacency says no more than who is linked."""
    weights = np.asarray(values, dtype=np.float32)
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("an adjacency holds weights of edges; they must be finite and none negative")
    return None if (weights == 1).all() else torch.tensor(weights)
