"""Small graphs with everything that trips a graph library up."""

from __future__ import annotations

import torch
from torch import Tensor


def random_edges(num_nodes: int, num_edges: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(num_nodes, (2, num_edges), generator=generator)


def symmetric(edge_index: Tensor) -> Tensor:
    both = torch.cat([edge_index, edge_index.flip(0)], dim=1)
    return torch.unique(both[:, both[0] != both[1]], dim=1)


AWKWARD: dict[str, tuple[Tensor, int]] = {
    "directed": (random_edges(7, 15, seed=1), 7),
    "self-loops": (torch.cat([random_edges(5, 8, seed=2), torch.arange(5).expand(2, -1)], dim=1), 5),
    "isolated nodes": (random_edges(4, 9, seed=3), 8),
    "repeated edges": (random_edges(3, 20, seed=4), 4),
    "one node": (torch.zeros(2, 1, dtype=torch.long), 1),
    "no edges": (torch.zeros(2, 0, dtype=torch.long), 3),
}
