"""GraphSAGE with the mean aggregator: h_i' = act(W_1 h_i + b + W_2 mean over neighbours j of h_j).

Hamilton, Ying and Leskovec, Inductive representation learning on large graphs, NeurIPS 2017.
"""

from __future__ import annotations

from agdn.models.stack import Activation, OneHopStack


class GraphSAGE(OneHopStack):
    """A stack of neighbourhood means, each beside a linear map of the node itself.

    Args:
        edge_dropout: Share of the edges left out of a training step; exact count.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 2,
        *,
        norm: str = "none",
        activation: Activation = "relu",
        dropout: float = 0.0,
        input_dropout: float = 0.0,
        edge_dropout: float = 0.0,
    ) -> None:
        super().__init__(
            in_channels,
            hidden_channels,
            out_channels,
            num_layers,
            conv={"transition": "row", "residual": "bias", "edge_dropout": edge_dropout},
            norm=norm,
            activation=activation,
            dropout=dropout,
            input_dropout=input_dropout,
        )
