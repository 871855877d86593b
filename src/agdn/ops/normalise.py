"""The (weighted) adjacency divided by degrees.

row  D_in^-1 A          col  A D_out^-1          sym  D_in^-1/2 A D_out^-1/2
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.segment import sum_over_sources, sum_over_targets

Normalisation = Literal["row", "col", "sym"]


def normalised_adjacency(
    graph: Graph, kind: Normalisation, edge_weight: Tensor | None = None, *, dtype: torch.dtype = torch.float32
) -> Tensor:
    """(E, 1) in the graph's order; degrees are those of the full graph, and ``edge_weight`` in the caller's order."""
    if edge_weight is None:
        into, out_of = graph.full.in_degree.to(dtype), graph.full.out_degree.to(dtype)
        weight = torch.ones(graph.num_edges, dtype=dtype, device=graph.device)
    else:
        everywhere = edge_weight[graph.full.order].to(dtype)
        into, out_of = sum_over_targets(everywhere, graph.full), sum_over_sources(everywhere, graph.full)
        weight = edge_weight[graph.order].to(dtype)
    into, out_of = into[graph.targets], out_of[graph.indices]
    degree = {"row": into, "col": out_of, "sym": (into * out_of).sqrt()}[kind]
    return torch.where(degree > 0, weight / degree.clamp(min=torch.finfo(dtype).tiny), 0.0).unsqueeze(1)
