"""Attention by inner products, the layer of UniMP.

    a_ij = softmax over j of <q_i, k_j + e_ij> / sqrt(D)        z_i = sum over j of a_ij (v_j + e_ij)
    out_i = z_i + s_i,  s_i = W_s x_i + b_s;  gated (1 - g_i) z_i + g_i s_i,  g_i = sigmoid(w [s_i, z_i, z_i - s_i] + b)

Shi et al., *Masked label prediction: unified message passing model for semi-supervised classification*, IJCAI 2021.
The edges' part e_ij = W_e x_ij + b_e is linear, so <q_i, e_ij> = <W_e^T q_i, x_ij> + what all edges of i share, and
sum of a_ij e_ij = W_e (sum of a_ij x_ij) + b_e sum of a_ij: neither takes a row for every edge and head.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.nn.linear import Linear
from agdn.nn.transition import over_targets
from agdn.ops import dropout, propagate, sum_over_targets
from agdn.ops.edge_attributes import attribute_scores, attribute_sums
from agdn.ops.edge_dot import edge_dot


class GraphTransformerConv(nn.Module):
    """One layer.

    Args:
        out_channels: Channels D a head.
        heads: Attention heads H.
        concat: Output (N, H * D); otherwise the heads are averaged to (N, D).
        gate: Mix the skip by a gate instead of adding it.
        attn_dropout: Dropout of the attention weights.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        heads: int,
        *,
        concat: bool = True,
        gate: bool = False,
        attn_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.out_channels, self.heads, self.concat, self.attn_dropout = out_channels, heads, concat, attn_dropout
        width = heads * out_channels
        self.query, self.key, self.value = (Linear(in_channels, width) for _ in range(3))
        self.skip = Linear(in_channels, width if concat else out_channels)
        self.gate = Linear(3 * (width if concat else out_channels), 1) if gate else None

    def reset_parameters(self) -> None:
        for linear in (self.query, self.key, self.value, self.skip, self.gate):
            if linear is not None:
                linear.reset_parameters()

    def forward(
        self,
        x: Tensor,
        graph: Graph,
        edge_attr: Tensor | None = None,
        edge_map: Tensor | None = None,
        edge_bias: Tensor | None = None,
        edge_weight: Tensor | None = None,
    ) -> Tensor:
        """``edge_map`` (H * D, edge_dim) and ``edge_bias`` make e_ij of ``edge_attr``, all in the caller's order."""
        query, key, value = (
            part(x).view(-1, self.heads, self.out_channels) for part in (self.query, self.key, self.value)
        )
        scores, by_head = edge_dot(query, key, graph), None
        if edge_attr is not None and edge_map is not None:
            by_head = edge_map.view(self.heads, self.out_channels, -1)
            scores = scores + attribute_scores(torch.einsum("nhd,hdf->nhf", query, by_head), edge_attr, graph)
        weight = None if edge_weight is None else edge_weight[graph.order].to(scores.dtype).unsqueeze(1)
        a = over_targets(scores / math.sqrt(self.out_channels), graph, weight)
        a = dropout(a, self.attn_dropout, self.training)
        out = propagate(value, a, graph)
        if by_head is not None and edge_attr is not None and edge_bias is not None:
            out = out + torch.einsum("nhf,hdf->nhd", attribute_sums(a, edge_attr, graph), by_head)
            out = out + sum_over_targets(a, graph).unsqueeze(-1) * edge_bias.view(self.heads, self.out_channels)
        skip: Tensor = self.skip(x)
        out = out.flatten(1) if self.concat else out.mean(1)
        if self.gate is None:
            return out + skip
        share: Tensor = torch.sigmoid(self.gate(torch.cat([skip, out, out - skip], dim=1)))
        return torch.lerp(out, skip, share)
