"""MAGNA: attention that diffuses.

    A = gat attention, scored on tanh        Z_k = (1 - alpha) A Z_(k-1) + alpha Z_0,  Z_0 = LayerNorm(H) W
    H <- H + dropout(Z_K W_o)                H <- H + dropout(FFN(LayerNorm(H))),  FFN four times as wide inside

Wang, Ying, Huang and Leskovec, *Multi-hop attention graph neural networks*, IJCAI 2021. The recursion is the layer of
this library with the fixed PPR weights, theta_k = alpha (1 - alpha)^k and theta_K = (1 - alpha)^K. Of its published
program the choice of the k highest-scored edges is left out.
"""

from __future__ import annotations

from torch import Tensor, nn

from agdn.graph import Graph
from agdn.nn.conv import AGDNConv
from agdn.nn.linear import Linear
from agdn.nn.norm import hidden_norms, norm_of
from agdn.ops import dropout, relu_dropout
from agdn.ops.halo import own_ids


class AttentionDiffusion(nn.Module):
    """One block, as wide out as in."""

    def __init__(
        self,
        channels: int,
        heads: int,
        hops: int,
        *,
        alpha: float,
        dropout: float,
        attn_dropout: float,
        edge_dropout: float,
    ) -> None:
        super().__init__()
        self.dropout = dropout
        self.norm, self.inner_norm = hidden_norms("layer", [channels] * 2)
        self.conv = AGDNConv(
            channels,
            channels // heads,
            hops,
            heads,
            transition={"name": "gat", "squash": True},
            weighting={"name": "PPR", "alpha": alpha},
            residual=False,
            edge_dropout=edge_dropout,
            attn_dropout=attn_dropout,
            attn_dropout_per_hop=True,
            diffusion_dropout=dropout,
        )
        self.project = Linear(channels, channels, bias=False)
        self.widen, self.narrow = Linear(channels, 4 * channels), Linear(4 * channels, channels)

    def reset_parameters(self) -> None:
        for module in (self.norm, self.inner_norm, self.conv, self.project, self.widen, self.narrow):
            module.reset_parameters()  # type: ignore[operator]

    def forward(self, h: Tensor, graph: Graph, edge_weight: Tensor | None = None) -> Tensor:
        ids = own_ids(graph)
        diffused = self.project(self.conv(self.norm(h), graph, None, edge_weight))
        h = h + dropout(diffused, self.dropout, self.training, ids)
        inner = self.narrow(relu_dropout(self.widen(self.inner_norm(h)), self.dropout, self.training, ids))
        return h + dropout(inner, self.dropout, self.training, ids)


class MAGNA(nn.Module):
    """A linear layer, blocks of attention diffusion, and a linear output; no self-loops are added here.

    Args:
        hidden_channels: Channels a head.
        num_layers: Number of blocks.
        heads: Attention heads.
        hops: Diffusion depth K of a block.
        alpha: Share of hop 0 in every step of a diffusion.
        dropout: Rate of features: in front of each hop, after each part of a block and inside its FFN, and in front of
            the output.
        input_dropout: Rate on the features.
        attn_dropout: Dropout of the attention weights, drawn anew for every hop.
        edge_dropout: Share of the edges left out of a training step; exact count.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 2,
        heads: int = 8,
        hops: int = 6,
        *,
        alpha: float = 0.1,
        dropout: float = 0.0,
        input_dropout: float = 0.0,
        attn_dropout: float = 0.0,
        edge_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise ValueError(f"num_layers must be at least 1, got {num_layers}")
        rates = {"dropout": dropout, "attn_dropout": attn_dropout, "edge_dropout": edge_dropout}
        self.dropout, self.input_dropout = dropout, input_dropout
        width = heads * hidden_channels
        self.input = Linear(in_channels, width)
        self.blocks = nn.ModuleList(
            AttentionDiffusion(width, heads, hops, alpha=alpha, **rates) for _ in range(num_layers)
        )
        self.norm = norm_of("layer", width)
        self.output = Linear(width, out_channels)

    def reset_parameters(self) -> None:
        for module in (self.input, *self.blocks, self.norm, self.output):
            module.reset_parameters()

    def forward(
        self,
        x: Tensor,
        graph: Graph | Tensor,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
    ) -> Tensor:
        graph = graph if isinstance(graph, Graph) else Graph(graph, x.size(0))
        ids = own_ids(graph)
        h = self.input(dropout(x, self.input_dropout, self.training, ids))
        for block in self.blocks:
            h = block(h, graph, edge_weight)
        out: Tensor = self.output(dropout(self.norm(h), self.dropout, self.training, ids))
        return out
