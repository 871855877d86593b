"""Generalised aggregation of messages, the layer of DeeperGCN.

    h_i' = MLP(h_i + gathered over j of (ReLU(h_j + W e_ij + b) + eps))

Li, Xiong, Thabet and Ghanem, *DeeperGCN: all you need to train deeper GCNs*, 2020. Attributes of edges come through an
encoder that all layers share and a linear map of the layer's own; both are linear, so that their product, a small
matrix, is all that meets the edges.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.nn.linear import Linear
from agdn.nn.norm import norm_of
from agdn.ops.messages import EdgeTerm, Gathering, gather_messages

KINDS: tuple[Gathering, ...] = ("softmax", "semi_softmax", "power", "max", "mean", "sum")


class GENConv(nn.Module):
    """One layer, as wide out as in.

    Args:
        gathering: How messages are gathered, channel by channel: see :mod:`agdn.ops.messages`.
        scale: The t of a softmax or the p of a power mean.
        learn_scale: Learn it.
        mlp_layers: Linear layers of the MLP, twice as wide inside.
        norm: Between them.
        edge_channels: Width of the encoded attributes of edges, None for none.
    """

    def __init__(
        self,
        channels: int,
        *,
        gathering: Gathering = "softmax",
        scale: float = 1.0,
        learn_scale: bool = False,
        mlp_layers: int = 1,
        norm: str = "batch",
        edge_channels: int | None = None,
    ) -> None:
        super().__init__()
        if gathering not in KINDS:
            raise ValueError(f"gathering must be one of {', '.join(KINDS)}, got {gathering!r}")
        if mlp_layers < 1:
            raise ValueError(f"mlp_layers must be at least 1, got {mlp_layers}")
        if scale <= 0:
            raise ValueError(f"the scale of a softmax or a power mean must be positive, got {scale}")
        if learn_scale and gathering not in ("softmax", "power"):
            raise ValueError(f"learn_scale=True is for softmax and power; {gathering} has no scale that learns")
        self.gathering, self.first_scale = gathering, scale
        self.scale = nn.Parameter(torch.tensor(scale), requires_grad=True) if learn_scale else None
        self.edge = None if edge_channels is None else Linear(edge_channels, channels)
        widths = [channels, *[2 * channels] * (mlp_layers - 1), channels]
        parts: list[nn.Module] = []
        for layer in range(mlp_layers):
            parts.append(Linear(widths[layer], widths[layer + 1]))
            if layer < mlp_layers - 1:
                parts += [norm_of(norm, widths[layer + 1]), nn.ReLU()]
        self.mlp = nn.Sequential(*parts)

    def reset_parameters(self) -> None:
        if self.scale is not None:
            nn.init.constant_(self.scale, self.first_scale)
        for module in (self.edge, *self.mlp):
            if hasattr(module, "reset_parameters"):
                module.reset_parameters()

    def forward(
        self,
        h: Tensor,
        graph: Graph,
        edge_attr: Tensor | None = None,
        edge_map: Tensor | None = None,
        edge_bias: Tensor | None = None,
    ) -> Tensor:
        """``edge_map`` (edge_channels, edge_dim) and ``edge_bias`` are those of the encoder that layers share."""
        scale = h.new_tensor(self.first_scale) if self.scale is None else self.scale
        term = None
        if self.edge is not None and edge_attr is not None and edge_map is not None and edge_bias is not None:
            weight, bias = self.edge.weight @ edge_map, self.edge.weight @ edge_bias + self.edge.bias
            term = EdgeTerm(edge_attr, weight, bias)
        gathered = gather_messages(h, graph, self.gathering, scale.to(h.dtype), term)
        out: Tensor = self.mlp(h + gathered)
        return out

    def extra_repr(self) -> str:
        return f"gathering={self.gathering}, scale={self.first_scale}"
