"""Deep adaptive network: sum over k of s_k Z_k with Z_k = A^k MLP(X), s_k = sigmoid(<Z_k, q> + b) a number a node.

Liu, Gao and Ji, Towards deeper graph neural networks, KDD 2020.
"""

from __future__ import annotations

from torch import Tensor

from agdn.graph import Graph
from agdn.models.predicted_first import PredictedFirst
from agdn.nn.linear import Linear
from agdn.ops import gated_hops


class DAGNN(PredictedFirst):
    """An MLP whose predictions are spread K hops, of which each node takes what it finds useful; with self-loops.

    Args:
        hidden_channels: Width of every layer of the MLP but the output.
        num_layers: Layers of the MLP.
        hops: K.
        norm: Between the layers of the MLP.
        dropout: Rate after each layer of the MLP but the last.
        input_dropout: Rate on the features.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 2,
        hops: int = 10,
        *,
        norm: str = "none",
        dropout: float = 0.0,
        input_dropout: float = 0.0,
    ) -> None:
        super().__init__(
            in_channels,
            hidden_channels,
            out_channels,
            num_layers,
            hops,
            norm=norm,
            dropout=dropout,
            input_dropout=input_dropout,
        )
        self.gate = Linear(out_channels, 1)

    def propagate(self, z: Tensor, adjacency: Tensor, graph: Graph) -> Tensor:
        return gated_hops(z, adjacency, graph, self.hops, self.gate.weight[0], self.gate.bias[0])
