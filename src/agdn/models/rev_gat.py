"""RevGAT: the grouped reversible network whose layers are attention over one hop beside a linear map of the node.

Li, Mueller, Ghanem and Koltun, *Training graph neural networks with 1000 layers*, ICML 2021; the equations are those of
:mod:`agdn.models.rev_agdn` with K = 1 and no hop 0.
"""

from __future__ import annotations

from agdn.models.rev_agdn import RevAGDN
from agdn.nn.conv import Part


class RevGAT(RevAGDN):
    """Attention layers in grouped reversible blocks; training memory does not grow with ``num_layers``.

    Args:
        transition: The attention, such as ``gat`` or ``{name: gat_adj, target_query: false}``.
        attn_dropout: Dropout of the attention weights.
        edge_dropout: Share of the edges left out of a training step; exact count, anew for every layer.
        edge_dim: Width of the edge features in the attention score.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 5,
        heads: int = 3,
        *,
        groups: int = 2,
        transition: Part = "gat",
        out_bias: bool = True,
        norm: str = "batch",
        dropout: float = 0.0,
        input_dropout: float = 0.0,
        attn_dropout: float = 0.0,
        edge_dropout: float = 0.0,
        edge_dim: int | None = None,
        reversible: bool = True,
    ) -> None:
        super().__init__(
            in_channels,
            hidden_channels,
            out_channels,
            num_layers,
            heads,
            hops=1,
            groups=groups,
            out_bias=out_bias,
            norm=norm,
            dropout=dropout,
            input_dropout=input_dropout,
            reversible=reversible,
            memory="store",
            first_hop=1,
            weighting="sum",
            transition=transition,
            attn_dropout=attn_dropout,
            edge_dropout=edge_dropout,
            edge_dim=edge_dim,
        )
