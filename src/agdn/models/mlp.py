"""A multi-layer perceptron: what the features alone can tell.

Rumelhart, Hinton and Williams, Learning representations by back-propagating errors, Nature 1986.
"""

from __future__ import annotations

from itertools import pairwise

from torch import Tensor, nn

from agdn.graph import Graph
from agdn.nn.linear import Linear
from agdn.nn.norm import hidden_norms
from agdn.ops import dropout, relu_dropout
from agdn.ops.halo import own_ids


class MLP(nn.Module):
    """Linear layers with norm, ReLU and dropout between them; it takes a graph and does not look at it.

    Args:
        hidden_channels: Width of every layer but the output.
        num_layers: Number of layers.
        norm: Between the layers.
        dropout: Rate after each layer.
        input_dropout: Rate on the features.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 2,
        *,
        norm: str = "none",
        dropout: float = 0.0,
        input_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise ValueError(f"num_layers must be at least 1, got {num_layers}")
        widths = [in_channels, *[hidden_channels] * (num_layers - 1), out_channels]
        self.layers = nn.ModuleList(Linear(a, b) for a, b in pairwise(widths))
        self.norms = hidden_norms(norm, widths[1:-1])
        self.dropout, self.input_dropout = dropout, input_dropout

    def reset_parameters(self) -> None:
        for module in (*self.layers, *self.norms):
            if hasattr(module, "reset_parameters"):
                module.reset_parameters()

    def forward(
        self,
        x: Tensor,
        graph: Graph | Tensor | None = None,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
    ) -> Tensor:
        ids = own_ids(graph)
        h = dropout(x, self.input_dropout, self.training, ids)
        for layer, norm in zip(self.layers, self.norms, strict=False):
            h = relu_dropout(norm(layer(h)), self.dropout, self.training, ids)
        out: Tensor = self.layers[-1](h)
        return out
