"""GATv2: H' = act(softmax over neighbours of <v, LeakyReLU(W h_j + W_t h_i)> H W + b).

Brody, Alon and Yahav, *How attentive are graph attention networks?*, ICLR 2022.
"""

from __future__ import annotations

from functools import partial

from agdn.models.stack import Activation, OneHopStack
from agdn.nn.pair_attention import PairAttention


class GATv2(OneHopStack):
    """A stack of attention layers in which every node may rank its neighbours by itself; no self-loops are added here.

    Args:
        share_weights: Score targets with the map of sources, W_t = W.
        residual: Add a linear map of each layer's input to its output.
        attn_dropout: Dropout of the attention weights.
        edge_dropout: Share of the edges left out of a training step; exact count.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 2,
        heads: int = 8,
        *,
        out_heads: int = 1,
        share_weights: bool = False,
        residual: bool = False,
        norm: str = "none",
        activation: Activation = "elu",
        dropout: float = 0.0,
        input_dropout: float = 0.0,
        attn_dropout: float = 0.0,
        edge_dropout: float = 0.0,
    ) -> None:
        super().__init__(
            in_channels,
            hidden_channels,
            out_channels,
            num_layers,
            conv={
                "transition": partial(PairAttention, share_weights=share_weights),
                "residual": residual,
                "bias": True,
                "attn_dropout": attn_dropout,
                "edge_dropout": edge_dropout,
            },
            heads=heads,
            out_heads=out_heads,
            norm=norm,
            activation=activation,
            dropout=dropout,
            input_dropout=input_dropout,
        )
