"""DeeperGCN: many layers of gathered messages, activated in front and added up.

    H_1 = GEN(W X)        H_(l+1) = H_l + GEN(dropout(ReLU(norm(H_l))))        out = W' dropout(ReLU(norm(H_L))) + b

Li, Xiong, Thabet and Ghanem, *DeeperGCN: all you need to train deeper GCNs*, 2020; the layer is :mod:`agdn.nn.gen`.
"""

from __future__ import annotations

from torch import Tensor, nn

from agdn.graph import Graph
from agdn.models.agdn import summed_edges
from agdn.nn.gen import GENConv
from agdn.nn.linear import Linear
from agdn.nn.norm import hidden_norms
from agdn.nn.pre_activation import PreActivation
from agdn.ops import relu_dropout
from agdn.ops.messages import Gathering


class DeeperGCN(nn.Module):
    """Residual blocks of generalised aggregation with norm, ReLU and dropout in front; takes no edge weights.

    Args:
        hidden_channels: Width of every layer.
        num_layers: Number of layers.
        gathering: ``"softmax"``, ``"semi_softmax"`` (no gradient by its weights), ``"power"``, ``"max"``, ``"mean"`` or
            ``"sum"`` of the messages, channel by channel.
        scale: The t of a softmax or the p of a power mean.
        learn_scale: Learn it, one a layer.
        mlp_layers: Linear layers in the MLP of each layer.
        norm: In front of each layer and the output, and in the MLPs.
        dropout: Rate in front of each layer and the output.
        edge_dim: Width of the edges' features, which messages then carry; None for none.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 14,
        *,
        gathering: Gathering = "softmax",
        scale: float = 1.0,
        learn_scale: bool = False,
        mlp_layers: int = 1,
        norm: str = "batch",
        dropout: float = 0.0,
        edge_dim: int | None = None,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise ValueError(f"num_layers must be at least 1, got {num_layers}")
        self.input = Linear(in_channels, hidden_channels)
        self.edge_encoder = None if edge_dim is None else Linear(edge_dim, hidden_channels)
        convs = [
            GENConv(
                hidden_channels,
                gathering=gathering,
                scale=scale,
                learn_scale=learn_scale,
                mlp_layers=mlp_layers,
                norm=norm,
                edge_channels=None if edge_dim is None else hidden_channels,
            )
            for _ in range(num_layers)
        ]
        self.first = convs[0]
        self.blocks = nn.ModuleList(PreActivation(hidden_channels, c, norm=norm, dropout=dropout) for c in convs[1:])
        (self.norm,) = hidden_norms(norm, [hidden_channels])
        self.output = Linear(hidden_channels, out_channels)
        self.dropout = dropout

    def reset_parameters(self) -> None:
        for module in (self.input, self.edge_encoder, self.first, *self.blocks, self.norm, self.output):
            if hasattr(module, "reset_parameters"):
                module.reset_parameters()

    def forward(
        self,
        x: Tensor | None,
        graph: Graph | Tensor,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
    ) -> Tensor:
        """Without node features (``x=None``) a node's input is the sum of its incoming edges' features."""
        graph = graph if isinstance(graph, Graph) else Graph(graph, None if x is None else x.size(0))
        signals = edge_signals(self.edge_encoder, edge_attr, edge_weight, "DeeperGCN")
        h = self.first(self.input(summed_edges(graph, edge_attr) if x is None else x), graph, *signals)
        for block in self.blocks:
            h = h + block(h, graph, *signals)
        out: Tensor = self.output(relu_dropout(self.norm(h), self.dropout, self.training))
        return out


def edge_signals(
    encoder: nn.Linear | None, edge_attr: Tensor | None, edge_weight: Tensor | None, name: str
) -> tuple[Tensor, ...]:
    """What every layer is given of the edges: their features and the encoder that all layers share."""
    if edge_weight is not None:
        raise ValueError(f"{name} gathers messages channel by channel and takes no edge weights; leave them out")
    if encoder is None:
        return ()
    if edge_attr is None:
        raise ValueError("this model was built with edge_dim; give it edge_attr")
    return edge_attr, encoder.weight, encoder.bias
