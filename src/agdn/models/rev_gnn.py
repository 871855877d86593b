"""RevGNN: grouped reversible blocks, so deep as time allows in the memory of one.

    [X_1 | ... | X_C] = W X,   y_i = x_i + f_i(y_(i-1)) in every block,   f = conv(dropout(ReLU(norm(.))))
    out = W' dropout(ReLU(norm(Y))) + b

Li, Mueller, Ghanem and Koltun, *Training graph neural networks with 1000 layers*, ICML 2021; :mod:`agdn.nn.reversible`.
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn

from agdn.graph import Graph
from agdn.models.agdn import summed_edges
from agdn.models.deeper_gcn import edge_signals
from agdn.nn.conv import AGDNConv
from agdn.nn.gen import GENConv
from agdn.nn.linear import Linear
from agdn.nn.norm import hidden_norms
from agdn.nn.pre_activation import PreActivation
from agdn.nn.reversible import Reversible
from agdn.ops import relu_dropout
from agdn.ops.messages import Gathering


class RevGNN(nn.Module):
    """Grouped reversible blocks; training memory does not grow with ``num_layers``.

    Args:
        hidden_channels: Width of all groups together.
        num_layers: Number of blocks.
        groups: Channel groups of a block, each with a layer of its own.
        conv: ``"gen"``, gathered messages as in DeeperGCN, or ``"sage"``, the mean of the neighbours beside the node
            itself.
        gathering: Of ``gen``: see DeeperGCN.
        scale: Of ``gen``: the t of a softmax or the p of a power mean.
        learn_scale: Of ``gen``: learn it, one a layer.
        mlp_layers: Of ``gen``: linear layers in the MLP of each layer.
        norm: In front of each layer and the output.
        dropout: Rate in front of each layer and the output.
        edge_dim: Of ``gen``: width of the edges' features, which messages then carry; None for none.
        reversible: Otherwise keep what every block computed; the same numbers in more memory and less time.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 14,
        *,
        groups: int = 2,
        conv: Literal["gen", "sage"] = "gen",
        gathering: Gathering = "softmax",
        scale: float = 1.0,
        learn_scale: bool = False,
        mlp_layers: int = 1,
        norm: str = "layer",
        dropout: float = 0.0,
        edge_dim: int | None = None,
        reversible: bool = True,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise ValueError(f"num_layers must be at least 1, got {num_layers}")
        width = group_width(hidden_channels, groups)
        if conv not in ("gen", "sage"):
            raise ValueError(f"conv must be gen or sage, got {conv!r}")
        if conv == "sage" and edge_dim is not None:
            raise ValueError("edge_dim is for messages; the mean of conv=sage carries no edge features")

        def layer() -> nn.Module:
            if conv == "sage":
                one_hop = {"hops": 1, "first_hop": 1, "weighting": "sum"}
                return AGDNConv(width, width, transition="row", residual="bias", **one_hop)  # type: ignore[arg-type]
            return GENConv(
                width,
                gathering=gathering,
                scale=scale,
                learn_scale=learn_scale,
                mlp_layers=mlp_layers,
                norm=norm,
                edge_channels=None if edge_dim is None else hidden_channels,
            )

        self.conv, self.dropout = conv, dropout
        self.input = Linear(in_channels, hidden_channels)
        self.edge_encoder = None if edge_dim is None else Linear(edge_dim, hidden_channels)
        self.blocks = Reversible(
            [
                [PreActivation(width, layer(), norm=norm, dropout=dropout) for _ in range(groups)]
                for _ in range(num_layers)
            ],
            reversible=reversible,
        )
        (self.norm,) = hidden_norms(norm, [hidden_channels])
        self.output = Linear(hidden_channels, out_channels)

    def reset_parameters(self) -> None:
        for module in (self.input, self.edge_encoder, self.blocks, self.norm, self.output):
            if module is not None and hasattr(module, "reset_parameters"):
                module.reset_parameters()  # type: ignore[operator]

    def forward(
        self,
        x: Tensor | None,
        graph: Graph | Tensor,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
    ) -> Tensor:
        """Without node features (``x=None``) a node's input is the sum of its incoming edges' features."""
        graph = graph if isinstance(graph, Graph) else Graph(graph, None if x is None else x.size(0))
        h = self.input(summed_edges(graph, edge_attr) if x is None else x)
        if self.conv == "sage":
            h = self.blocks(h, graph, None, edge_weight)
        else:
            h = self.blocks(h, graph, *edge_signals(self.edge_encoder, edge_attr, edge_weight, "RevGNN with conv=gen"))
        out: Tensor = self.output(relu_dropout(self.norm(h), self.dropout, self.training))
        return out


def group_width(channels: int, groups: int) -> int:
    if groups < 2:
        raise ValueError(f"reversible blocks need at least 2 groups of channels, got {groups}")
    if channels % groups:
        raise ValueError(f"hidden_channels must be divisible by groups, got {channels} and {groups}")
    return channels // groups
