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
KEPT_EDGES = 1 << 24  # a graph of up to so many keeps what was computed for it


def normalised_adjacency(
    graph: Graph, kind: Normalisation, edge_weight: Tensor | None = None, *, dtype: torch.dtype = torch.float32
) -> Tensor:
    """(E, 1) in the graph's order; degrees are those of the full graph, and ``edge_weight`` in the caller's order."""
    if torch.compiler.is_compiling() or edge_weight is not None or graph.num_edges > KEPT_EDGES:
        return _normalised(graph, kind, edge_weight, dtype)
    key = f"_normalised_{kind}_{dtype}"
    if key not in graph.__dict__:
        with torch.inference_mode(False):  # so that training may use it too
            graph._set(**{key: _normalised(graph, kind, None, dtype)})
    kept: Tensor = graph.__dict__[key]
    return kept


def _normalised(graph: Graph, kind: Normalisation, edge_weight: Tensor | None, dtype: torch.dtype) -> Tensor:
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
