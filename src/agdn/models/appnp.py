"""Personalised propagation of neural predictions: Z <- (1 - alpha) A Z + alpha MLP(X), K times.

Gasteiger, Bojchevski and Günnemann, Predict then propagate: Graph neural networks meet personalized PageRank,
ICLR 2019.
"""

from __future__ import annotations

from torch import Tensor

from agdn.graph import Graph
from agdn.models.predicted_first import PredictedFirst
from agdn.nn.weighting import personalised_pagerank
from agdn.ops import dropout, polynomial
from agdn.ops import propagate as hop
from agdn.ops.halo import edge_places


class APPNP(PredictedFirst):
    """An MLP whose predictions are spread by personalised PageRank; give it a graph with self-loops.

    Args:
        hidden_channels: Width of every layer of the MLP but the output.
        num_layers: Layers of the MLP.
        hops: K.
        alpha: Restart probability, the share of a node's own prediction.
        dropout: Rate after each layer of the MLP but the last.
        input_dropout: Rate on the features.
        hop_dropout: Rate on the entries of A, drawn anew for every hop.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 2,
        hops: int = 10,
        *,
        alpha: float = 0.1,
        dropout: float = 0.0,
        input_dropout: float = 0.0,
        hop_dropout: float = 0.0,
    ) -> None:
        super().__init__(
            in_channels, hidden_channels, out_channels, num_layers, hops, dropout=dropout, input_dropout=input_dropout
        )
        self.alpha, self.hop_dropout = alpha, hop_dropout
        self.coefficients: list[float] = personalised_pagerank(hops, alpha=alpha).coefficients.tolist()

    def propagate(self, z: Tensor, adjacency: Tensor, graph: Graph) -> Tensor:
        if not self.training or self.hop_dropout == 0:
            return polynomial(z, adjacency, graph, self.coefficients)
        start = self.alpha * z
        for _ in range(self.hops):
            kept = dropout(adjacency, self.hop_dropout, True, edge_places(graph))
            z = (1 - self.alpha) * hop(z.unsqueeze(1), kept, graph).squeeze(1) + start
        return z

    def extra_repr(self) -> str:
        return f"hops={self.hops}, alpha={self.alpha}"
