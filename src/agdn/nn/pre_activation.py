"""Norm, ReLU and dropout in front of a layer instead of behind it: conv(dropout(ReLU(norm(h)))).

What is added to such a layer's output reaches the end of the network as it is (the ``res+`` block of DeeperGCN).
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from agdn.graph import Graph
from agdn.nn.norm import norm_of
from agdn.ops import relu_dropout
from agdn.ops.halo import own_ids


class PreActivation(nn.Module):
    """``norm`` by name, for as many channels as ``conv``, which takes ``(h, graph, *signals)``."""

    def __init__(self, channels: int, conv: nn.Module, *, norm: str, dropout: float) -> None:
        super().__init__()
        self.norm = norm_of(norm, channels)
        self.conv, self.dropout = conv, dropout

    def reset_parameters(self) -> None:
        for part in (self.norm, self.conv):
            if hasattr(part, "reset_parameters"):
                part.reset_parameters()  # type: ignore[operator]

    def forward(self, h: Tensor, graph: Graph, *signals: Any) -> Tensor:
        h = relu_dropout(self.norm(h), self.dropout, self.training, own_ids(graph))
        out: Tensor = self.conv(h, graph, *signals)
        return out
