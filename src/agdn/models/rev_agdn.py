"""A reversible AGDN: grouped reversible diffusion layers between a first and a last one.

    X_1 = conv(X),   y_i = x_i + f_i(y_(i-1)) in every block,   f = conv(dropout(ReLU(norm(.))))
    out = conv(dropout(ReLU(norm(Y)))) + b

Every ``conv`` is the layer of the paper (:mod:`agdn.nn.conv`), those of the blocks with a C-th of the channels of every
head. Blocks are computed again in backward (:mod:`agdn.nn.reversible`), and so are the hops inside a layer, so that
training memory grows with neither. With one hop and degree-adjusted attention this is RevGAT, whose blocks are those of
Li, Mueller, Ghanem and Koltun (2021); the diffusion in them is an addition of ours.
"""

from __future__ import annotations

from typing import Literal, Unpack

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.models.agdn import ConvOptions, LayerOptions, own_parts, summed_edges
from agdn.models.rev_gnn import group_width
from agdn.nn.conv import AGDNConv
from agdn.nn.norm import norm_of
from agdn.nn.pre_activation import PreActivation
from agdn.nn.reversible import Reversible
from agdn.ops import dropout, relu_dropout
from agdn.ops.halo import own_ids
from agdn.part import unknown_name


class RevAGDN(nn.Module):
    """Diffusion layers in grouped reversible blocks; training memory grows with neither layers nor hops.

    Args:
        in_channels: Width of the input features.
        hidden_channels: Channels a head of every layer but the output, all groups together.
        out_channels: Classes, tasks or embedding width.
        num_layers: Number of diffusion layers, the first and the last among them.
        heads: Attention heads of every layer but the output.
        hops: Diffusion depth K of every layer.
        groups: Channel groups of a block, each with a layer of its own.
        out_bias: Add a learned bias to the output.
        norm: In front of every layer but the first.
        dropout: Rate in front of every layer but the first.
        input_dropout: Rate on the features.
        reversible: Otherwise keep what every block computed; the same numbers in more memory and less time.
        memory: ``"recompute"`` walks the hops of a layer again in backward, ``"store"`` keeps them until then.
        conv: Everything else goes to every :class:`~agdn.AGDNConv`.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 3,
        heads: int = 1,
        hops: int = 3,
        *,
        groups: int = 2,
        out_bias: bool = False,
        norm: str = "batch",
        dropout: float = 0.0,
        input_dropout: float = 0.0,
        reversible: bool = True,
        memory: Literal["store", "recompute"] = "recompute",
        **conv: Unpack[LayerOptions],
    ) -> None:
        super().__init__()
        if num_layers < 2:
            raise ValueError(f"num_layers counts the first and the last layer and must be at least 2, got {num_layers}")
        unknown = [option for option in conv if option not in LayerOptions.__annotations__]
        if unknown:
            raise ValueError(unknown_name("option of RevAGDN", unknown[0], list(LayerOptions.__annotations__)))
        options: ConvOptions = {**conv, "memory": memory}
        part, width = group_width(hidden_channels, groups), heads * hidden_channels

        def layer(wide: int, narrow: int, layer_heads: int, concat: bool = True) -> AGDNConv:
            return AGDNConv(wide, narrow, hops, layer_heads, concat=concat, **own_parts(options))

        self.dropout, self.input_dropout = dropout, input_dropout
        self.first = layer(in_channels, hidden_channels, heads)
        self.blocks = Reversible(
            [
                [
                    PreActivation(heads * part, layer(heads * part, part, heads), norm=norm, dropout=dropout)
                    for _ in range(groups)
                ]
                for _ in range(num_layers - 2)
            ],
            reversible=reversible,
        )
        self.norm = norm_of(norm, width)
        self.output = layer(width, out_channels, 1, concat=False)
        self.out_bias = nn.Parameter(torch.zeros(out_channels)) if out_bias else None

    def reset_parameters(self) -> None:
        for module in (self.first, self.blocks, self.norm, self.output):
            if module is not None and hasattr(module, "reset_parameters"):
                module.reset_parameters()  # type: ignore[operator]
        if self.out_bias is not None:
            nn.init.zeros_(self.out_bias)

    def forward(
        self,
        x: Tensor | None,
        graph: Graph | Tensor,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
    ) -> Tensor:
        """Without node features (``x=None``) a node's input is the sum of its incoming edges' features."""
        graph = graph if isinstance(graph, Graph) else Graph(graph, None if x is None else x.size(0))
        ids = own_ids(graph)
        h = dropout(summed_edges(graph, edge_attr) if x is None else x, self.input_dropout, self.training, ids)
        h = self.blocks(self.first(h, graph, edge_attr, edge_weight), graph, edge_attr, edge_weight)
        h = relu_dropout(self.norm(h), self.dropout, self.training, ids)
        out: Tensor = self.output(h, graph, edge_attr, edge_weight)
        return out if self.out_bias is None else out + self.out_bias
