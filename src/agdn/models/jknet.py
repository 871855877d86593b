"""Jumping knowledge: GCN layers, all of whose outputs reach the end.

    H_l = act(norm(D^-1/2 A D^-1/2 H_(l-1) W_l + b_l))        out = W jump(H_1, ..., H_L) + b

Xu et al., *Representation learning on graphs with jumping knowledge networks*, ICML 2018.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.nn.conv import AGDNConv
from agdn.nn.linear import Linear
from agdn.nn.norm import hidden_norms
from agdn.ops import dropout, relu_dropout
from agdn.ops.halo import own_ids


class JKNet(nn.Module):
    """GCN layers whose outputs are joined by ``jump``; no self-loops are added here.

    Args:
        hidden_channels: Width of every layer.
        num_layers: Number of layers.
        jump: ``"concat"``, their ``"max"`` channel by channel, or their mean with the attention of an ``"lstm"`` over
            the layers.
        norm: After each layer.
        dropout: Rate after each layer.
        input_dropout: Rate on the features.
        edge_dropout: Share of the edges left out of a training step; exact count.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 6,
        *,
        jump: Literal["concat", "max", "lstm"] = "concat",
        norm: str = "none",
        dropout: float = 0.0,
        input_dropout: float = 0.0,
        edge_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise ValueError(f"num_layers must be at least 1, got {num_layers}")
        if jump not in ("concat", "max", "lstm"):
            raise ValueError(f"jump must be concat, max or lstm, got {jump!r}")
        widths = [in_channels, *[hidden_channels] * (num_layers - 1)]
        self.convs = nn.ModuleList(
            AGDNConv(
                width, hidden_channels, hops=1, first_hop=1, weighting="sum", transition="sym", residual=False,
                bias=True, edge_dropout=edge_dropout,
            )
            for width in widths
        )  # fmt: skip
        self.norms = hidden_norms(norm, [hidden_channels] * num_layers)
        self.jump, self.dropout, self.input_dropout = jump, dropout, input_dropout
        self.attention: nn.Module | None = None
        if jump == "lstm":
            from torch_geometric.nn import JumpingKnowledge

            self.attention = JumpingKnowledge("lstm", hidden_channels, num_layers)
        self.output = Linear(hidden_channels * (num_layers if jump == "concat" else 1), out_channels)

    def reset_parameters(self) -> None:
        for module in (*self.convs, *self.norms, self.attention, self.output):
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
        states = []
        for conv, norm in zip(self.convs, self.norms, strict=True):
            h = relu_dropout(norm(conv(h, graph, None, edge_weight)), self.dropout, self.training, ids)
            states.append(h)
        out: Tensor = self.output(self._joined(states))
        return out

    def _joined(self, states: list[Tensor]) -> Tensor:
        if self.attention is not None:
            joined: Tensor = self.attention(states)
            return joined
        if self.jump == "concat":
            return torch.cat(states, dim=1)
        largest = states[0]
        for state in states[1:]:
            largest = torch.maximum(largest, state)
        return largest
