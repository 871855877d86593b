"""Convolutions on top of each other: what GCN, GraphSAGE, GAT, TAGCN, ChebNet and MixHop share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.models.in_blocks import stack_in_blocks
from agdn.nn.conv import AGDNConv
from agdn.nn.norm import hidden_norms
from agdn.ops import dropout, relu_dropout
from agdn.ops.halo import own_ids
from agdn.ops.sparse_rows import dense
from agdn.ops.storage import Storage

Activation = Literal["relu", "elu"]


class Stack(nn.Module):
    """Input dropout, then convolutions with norm, activation and dropout between them.

    Args:
        convs: ``conv(x, graph, edge_attr, edge_weight)``, the one that makes the output last.
        widths: Channels between them.
        norm: Between the layers.
        activation: Between the layers.
        dropout: Rate after each layer.
        input_dropout: Rate on the features.
    """

    def __init__(
        self,
        convs: Iterable[nn.Module],
        widths: list[int],
        *,
        norm: str = "none",
        activation: Activation = "relu",
        dropout: float = 0.0,
        input_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if activation not in ("relu", "elu"):
            raise ValueError(f"activation must be relu or elu, got {activation!r}")
        self.convs = nn.ModuleList(convs)
        self.norms = hidden_norms(norm, widths)
        self.activation, self.dropout, self.input_dropout = activation, dropout, input_dropout

    def reset_parameters(self) -> None:
        for module in (*self.convs, *self.norms):
            if hasattr(module, "reset_parameters"):
                module.reset_parameters()

    def forward(
        self,
        x: Tensor,
        graph: Graph | Tensor,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
    ) -> Tensor:
        graph = graph if isinstance(graph, Graph) else Graph(graph, x.size(0))
        ids = own_ids(graph)
        h = dropout(x, self.input_dropout, self.training, ids)
        for conv, norm in zip(self.convs, self.norms, strict=False):
            h = self._activated(norm(conv(h, graph, edge_attr, edge_weight)), ids)
        out: Tensor = self.convs[-1](h, graph, edge_attr, edge_weight)
        return out

    @torch.no_grad()
    def in_blocks(
        self,
        x: Tensor,
        graph: Graph,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
        *,
        storage: Storage,
    ) -> tuple[Tensor, list[Tensor | None]]:
        """As :meth:`agdn.AGDN.in_blocks`; these layers have no hop weights to tell."""
        if self.training:
            raise ValueError("in_blocks is for evaluation; call model.eval() first")
        return stack_in_blocks(self, dense(x), graph, edge_attr, edge_weight, storage), []

    def _activated(self, h: Tensor, ids: Tensor | None = None) -> Tensor:
        if self.activation == "relu":
            return relu_dropout(h, self.dropout, self.training, ids)
        return dropout(F.elu(h), self.dropout, self.training, ids)


class OneHopStack(Stack):
    """Convolutions of one hop: what GCN, GraphSAGE and GAT share.

    Each convolution is the layer of this library with the single hop 1 and no hop 0, which is what these systems'
    own equations say; they differ in the transition and in what is added to it. No self-loops are added here.

    Args:
        hidden_channels: Channels a head of every layer but the output.
        num_layers: Number of layers.
        conv: Options of every convolution, such as its ``transition``.
        heads: Attention heads of every layer but the output, concatenated.
        out_heads: Attention heads of the output, averaged.
        between: What is between the layers: see :class:`Stack`.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int,
        *,
        conv: dict[str, Any],
        heads: int = 1,
        out_heads: int = 1,
        **between: Any,
    ) -> None:
        widths = layer_widths(in_channels, heads * hidden_channels, num_layers)
        conv = {"hops": 1, "first_hop": 1, "weighting": "sum", **conv}
        convs = [AGDNConv(width, hidden_channels, heads=heads, **conv) for width in widths[:-1]]
        convs.append(AGDNConv(widths[-1], out_channels, heads=out_heads, concat=False, **conv))
        super().__init__(convs, widths[1:], **between)


def layer_widths(in_channels: int, hidden_channels: int, num_layers: int) -> list[int]:
    """Channels that each layer is given."""
    if num_layers < 1:
        raise ValueError(f"num_layers must be at least 1, got {num_layers}")
    return [in_channels, *[hidden_channels] * (num_layers - 1)]
