"""Which links a dataset knows of, and the pairs that are none."""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.data.dataset import Dataset, EdgeSplit
from agdn.graph import Graph


def known_links(dataset: Dataset) -> Graph:
    """All edges of all parts, in both directions: whoever is in it is linked already."""
    parts = [dataset.graph.edge_index]
    if isinstance(dataset.split, EdgeSplit):
        parts += [dataset.split.train, dataset.split.valid, dataset.split.test]
    return Graph(torch.cat(parts, dim=1), dataset.graph.num_nodes).undirected()


def unlinked_pairs(nodes: Tensor, known: Graph) -> Tensor:
    """(2, P) every pair of one of ``nodes`` with one that it is not linked to, grouped by node."""
    free = torch.ones(len(nodes), known.num_nodes, dtype=torch.bool)
    free[torch.arange(len(nodes)), nodes] = False
    for row, node in enumerate(nodes.tolist()):
        free[row, known.indices[int(known.indptr[node]) : int(known.indptr[node + 1])].long()] = False
    rows, columns = free.nonzero().t()
    return torch.stack([nodes[rows], columns])
