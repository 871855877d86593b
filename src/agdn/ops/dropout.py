"""Dropout of channels and of edges."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from agdn.graph import Graph


def dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """Zero each entry with probability ``p`` and scale the rest by 1 / (1 - p), in training."""
    return F.dropout(x, p, training) if p > 0 else x


def drop_edges(graph: Graph, p: float, training: bool) -> Graph:
    """Keep exactly E - floor(p E) edges, drawn without replacement, in training."""
    if not training or p == 0:
        return graph
    dropped = int(p * graph.num_edges)
    mask = torch.ones(graph.num_edges, dtype=torch.bool, device=graph.device)
    mask[torch.randperm(graph.num_edges, device=graph.device)[:dropped]] = False
    return graph.keep(mask)
