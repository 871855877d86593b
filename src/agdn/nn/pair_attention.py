"""GATv2's transition: attention scores whose order of neighbours may differ from node to node.

    a_ij = softmax over j of <v, LeakyReLU(W x_j + W_t x_i)>        W the layer's own map, W_t another one or the same

Brody, Alon and Yahav, *How attentive are graph attention networks?*, ICLR 2022.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.nn.init import glorot_normal_, query_
from agdn.nn.linear import Linear
from agdn.nn.transition import Ends, over_targets
from agdn.ops.edge_dot import leaky_scores


class PairAttention(nn.Module):
    """A transition for :class:`agdn.AGDNConv`, for any number of hops.

    Args:
        share_weights: Let W_t be W.
        negative_slope: Of the LeakyReLU.
    """

    def __init__(
        self,
        in_channels: tuple[int, int],
        heads: int,
        channels: int,
        *,
        share_weights: bool = False,
        negative_slope: float = 0.2,
    ) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.vector = nn.Parameter(torch.empty(heads, channels))
        self.target = None if share_weights else Linear(in_channels[1], heads * channels, bias=False)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        query_(self.vector)
        if self.target is not None:
            glorot_normal_(self.target.weight, self.target.in_features, self.target.out_features)

    def forward(
        self, graph: Graph, x: Ends, z: Ends, edge_attr: Tensor | None = None, edge_weight: Tensor | None = None
    ) -> Tensor:
        target = z[1] if self.target is None else self.target(x[1]).view(-1, *self.vector.shape)
        scores = leaky_scores(z[0], target, self.vector, graph, self.negative_slope)
        weight = None if edge_weight is None else edge_weight[graph.order].to(scores.dtype).unsqueeze(1)
        return over_targets(scores, graph, weight)

    def extra_repr(self) -> str:
        return f"share_weights={self.target is None}"
