"""UniMP: a graph transformer that is shown some labels.

    H_0 = X + Y_shown W_y        H_l = dropout(ReLU(LayerNorm(T_l(H_(l-1)))))        out = T_L(H_(L-1)), heads averaged

Shi et al., *Masked label prediction: unified message passing model for semi-supervised classification*, IJCAI 2021; the
layer T is :mod:`agdn.nn.graph_transformer`. Which labels are shown is the task's choice (``task.labels``): they are the
last columns of the input.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.models.agdn import summed_edges
from agdn.nn.graph_transformer import GraphTransformerConv
from agdn.nn.linear import Linear
from agdn.nn.norm import hidden_norms
from agdn.ops import dropout, relu_dropout
from agdn.ops.sparse_rows import dense


class UniMP(nn.Module):
    """Graph transformer layers with layer norm, ReLU and dropout, on features and shown labels.

    Args:
        hidden_channels: Channels a head.
        num_layers: Number of layers.
        heads: Attention heads.
        label_input: The last ``out_channels`` columns of the input are labels (``task.labels``), which are embedded and
            added to the features.
        encoder: Features and labels each go through a linear layer with layer norm to the hidden width first, and the
            output is linear, after all layers.
        gate: Mix each layer's linear skip by a gate instead of adding it: in no layer, in the ``"last"``, which makes
            the output, or in ``"all"``.
        dropout: Rate on the input and after each layer.
        attn_dropout: Dropout of the attention weights.
        edge_dim: Width of the edges' features, which keys and values then carry; needs ``encoder``.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 3,
        heads: int = 2,
        *,
        label_input: bool = False,
        encoder: bool = False,
        gate: Literal["none", "last", "all"] = "last",
        dropout: float = 0.0,
        attn_dropout: float = 0.0,
        edge_dim: int | None = None,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise ValueError(f"num_layers must be at least 1, got {num_layers}")
        if gate not in ("none", "last", "all"):
            raise ValueError(f"gate must be none, last or all, got {gate!r}")
        if edge_dim is not None and not encoder:
            raise ValueError("edge_dim needs encoder=True: all layers share the map of the edges' features")
        features = in_channels - out_channels if label_input else in_channels
        if features < 1:
            raise ValueError(
                f"label_input=True needs features beside {out_channels} columns of labels; set task.labels"
            )
        width = heads * hidden_channels
        self.out_channels, self.dropout = out_channels, dropout
        start = width if encoder else features
        self.input = nn.Sequential(Linear(features, width), nn.LayerNorm(width)) if encoder else None
        self.labels: nn.Module | None = None
        if label_input:
            embedding = Linear(out_channels, start, bias=encoder)
            self.labels = nn.Sequential(embedding, nn.LayerNorm(width)) if encoder else embedding
        self.edge_encoder = None if edge_dim is None else Linear(edge_dim, width)
        hidden = num_layers if encoder else num_layers - 1
        self.convs = nn.ModuleList(
            GraphTransformerConv(
                width if layer else start,
                hidden_channels,
                heads,
                gate=gate == "all" or (gate == "last" and encoder and layer == hidden - 1),
                attn_dropout=attn_dropout,
            )
            for layer in range(hidden)
        )
        self.norms = hidden_norms("layer", [width] * hidden)
        self.output: nn.Module
        if encoder:
            self.output = Linear(width, out_channels)
        else:
            last = width if hidden else start
            gated = gate != "none"
            self.output = GraphTransformerConv(
                last, out_channels, heads, concat=False, gate=gated, attn_dropout=attn_dropout
            )

    def reset_parameters(self) -> None:
        parts = (*(self.input or ()), self.labels, self.edge_encoder, *self.convs, *self.norms, self.output)
        for part in parts:
            for module in part if isinstance(part, nn.Sequential) else [part]:
                if hasattr(module, "reset_parameters"):
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
        edges: tuple[Tensor | None, ...] = (None, None, None)
        if self.edge_encoder is not None:
            if edge_attr is None:
                raise ValueError("this model was built with edge_dim; give it edge_attr")
            edges = (edge_attr, self.edge_encoder.weight, self.edge_encoder.bias)
        h = self._started(summed_edges(graph, edge_attr) if x is None else x)
        h = dropout(h, self.dropout, self.training)
        for conv, norm in zip(self.convs, self.norms, strict=True):
            h = relu_dropout(norm(conv(h, graph, *edges, edge_weight)), self.dropout, self.training)
        if isinstance(self.output, GraphTransformerConv):
            attended: Tensor = self.output(h, graph, edge_weight=edge_weight)
            return attended
        out: Tensor = self.output(h)
        return out

    def _started(self, x: Tensor) -> Tensor:
        if self.labels is None:
            return x if self.input is None else self.input(x)
        x = dense(x)
        features, shown = x[:, : -self.out_channels], x[:, -self.out_channels :]
        h = features if self.input is None else self.input(features)
        embedded = self.labels(shown)
        return h + torch.where((shown != 0).any(1, keepdim=True), embedded, 0.0)
