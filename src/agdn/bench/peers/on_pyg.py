"""PyG's GATConv of the same width with a residual: the attention of one hop, as message passing does it."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from torch_geometric.nn import GATConv

TAKES_WEIGHTS = False  # one hop: another function, with weights of its own


def graph(edge_index: Tensor, num_nodes: int) -> Tensor:
    return edge_index


def layer(in_channels: int, spec: dict[str, Any]) -> nn.Module:
    conv: nn.Module = GATConv(
        in_channels, spec["channels"], heads=spec["heads"], add_self_loops=False, bias=False, residual=True
    )
    return conv
