"""Graph attention network: H' = act(softmax over neighbours of LeakyReLU(<q_dst, W h_i> + <q_src, W h_j>) H W + b).

Velickovic, Cucurull, Casanova, Romero, Liò and Bengio, Graph attention networks, ICLR 2018.
"""

from __future__ import annotations

from agdn.models.stack import Activation, OneHopStack


class GAT(OneHopStack):
    """A stack of attention layers; give it a graph with self-loops for Velickovic et al.'s model.

    Args:
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
                "transition": "gat",
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
