"""Graph convolutional network: H' = act(D^-1/2 A D^-1/2 H W + b).

Kipf and Welling, Semi-supervised classification with graph convolutional networks, ICLR 2017.
"""

from __future__ import annotations

from agdn.models.stack import Activation, OneHopStack


class GCN(OneHopStack):
    """A stack of symmetric normalised propagations; give it a graph with self-loops for Kipf and Welling's model.

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
            conv={"transition": "sym", "residual": False, "bias": True, "edge_dropout": edge_dropout},
            norm=norm,
            activation=activation,
            dropout=dropout,
            input_dropout=input_dropout,
        )
