"""A diffusion layer as it was for one input, with its attention and hop weights held.

    out = sum over k of Theta_k * T_k(A^k X W) + X W_r          T_k the normalisation of hop k, its statistics held too

So held it is affine in X, and what flows through it can be followed back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.nn.conv import AGDNConv
from agdn.nn.hops import L2_EPS, LAYER_EPS
from agdn.ops import propagate


@dataclass(frozen=True)
class HeldLayer:
    """On all nodes, or on those of a subgraph.

    Attributes:
        hops: Z_0..Z_K of what it is given, each (N, H, D).
        transition: (E, H or 1) in the caller's order.
        theta: Weight of each hop in ``weighed``, broadcastable to (N, H, D).
        gains: What the statistics of a hop's norm multiply it by, (N, H, 1); None without norm.
        residual: (N, H, D) X W_r; None without.
    """

    conv: AGDNConv
    hops: list[Tensor]
    transition: Tensor
    weighed: tuple[int, ...]
    theta: list[Tensor]
    gains: list[Tensor] | None
    residual: Tensor | None

    def given(self, x: Tensor, graph: Graph) -> HeldLayer:
        """The same held layer with another input."""
        hops = _hops(self.conv, x, self.transition[graph.order], graph)
        return replace(self, hops=hops, residual=_residual(self.conv, x))

    def linear_part(self) -> Tensor:
        """(N, C) its output without anything that its input does not make."""
        out = self.residual
        for place, k in enumerate(self.weighed):
            hop, transform = self.hops[k], self.conv.hop_transform
            if transform.scale is not None:
                hop = (hop - hop.mean(-1, keepdim=True)) * transform.scale[self.conv.used_hops.index(k)]
            hop = self.theta[place] * (hop if self.gains is None else self.gains[place] * hop)
            out = hop if out is None else out + hop
        assert out is not None, "a layer weighs a hop"
        return out.flatten(1) if self.conv.concat else out.mean(1)

    def part(self, nodes: Tensor, graph: Graph) -> HeldLayer:
        """The same on ``nodes``, whose subgraph is ``graph``."""

        def rows(values: Tensor) -> Tensor:
            return values if values.size(0) == 1 else values[nodes]

        return replace(
            self,
            hops=[hop[nodes] for hop in self.hops],
            transition=graph.carry(self.transition),
            theta=[rows(theta) for theta in self.theta],
            gains=None if self.gains is None else [rows(gain) for gain in self.gains],
            residual=None if self.residual is None else self.residual[nodes],
        )

    def heads(self, adjoint: Tensor) -> Tensor:
        """(N, C) of the output -> (N, H, D) of the heads that made it."""
        if self.conv.concat:
            return adjoint.view(-1, self.conv.heads, self.conv.out_channels)
        return (adjoint / self.conv.heads).unsqueeze(1).expand(-1, self.conv.heads, -1)

    def of_hop(self, k: int, adjoint: Tensor) -> Tensor | None:
        """(N, H, D) of the heads -> of Z_k, as far as it is weighed itself; None where it is not."""
        if k not in self.weighed:
            return None
        place = self.weighed.index(k)
        adjoint = self.theta[place] * adjoint
        if self.gains is None:
            return adjoint
        transform = self.conv.hop_transform
        if transform.scale is not None:
            adjoint = transform.scale[self.conv.used_hops.index(k)] * adjoint
            adjoint = adjoint - adjoint.mean(-1, keepdim=True)
        return self.gains[place] * adjoint

    def of_input(self, transformed: Tensor | None, adjoint: Tensor | None) -> Tensor | None:
        """(N, H, D) of Z_0 and of the heads -> (N, F) of the input."""
        parts = []
        if transformed is not None:
            parts.append(transformed.flatten(1) @ self.conv.transform.weight)
        if adjoint is not None and self.conv.residual is not None:
            parts.append(adjoint.flatten(1) @ self.conv.residual.weight)
        return sum(parts[1:], start=parts[0]) if parts else None


@torch.no_grad()
def held_layer(
    conv: AGDNConv, x: Tensor, graph: Graph, edge_attr: Tensor | None, edge_weight: Tensor | None
) -> HeldLayer:
    """What ``conv`` does to ``x`` in evaluation."""
    if not hasattr(conv.weighting, "weights"):
        raise ValueError(
            f"the hop weighting {type(conv.weighting).__name__} does not tell its weights, so no walk can be followed "
            "through it; give it a method weights(hops), or use --method gradients"
        )
    z = conv.transform(x).view(-1, conv.heads, conv.out_channels)
    a = conv.transition(graph, (x, x), (z, z), edge_attr, edge_weight)
    hops = _hops(conv, x, a, graph)
    theta = conv.weighting.weights(conv.hop_transform([hops[k] for k in conv.used_hops]))  # type: ignore[operator]
    weighed = conv.used_hops[-theta.size(2) :]
    return HeldLayer(
        conv,
        hops,
        torch.zeros_like(a).index_copy_(0, graph.order.long(), a),
        weighed,
        list(theta.unbind(2)),
        None if conv.hop_transform.norm is None else [_gain(conv.hop_transform.norm, hops[k]) for k in weighed],
        _residual(conv, x),
    )


def _hops(conv: AGDNConv, x: Tensor, a: Tensor, graph: Graph) -> list[Tensor]:
    hops = [conv.transform(x).view(-1, conv.heads, conv.out_channels)]
    for _ in range(conv.hops):
        hops.append(propagate(hops[-1], a, graph))
    return hops


def _residual(conv: AGDNConv, x: Tensor) -> Tensor | None:
    if conv.residual is None:
        return None
    out: Tensor = conv.residual(x) - (0.0 if conv.residual.bias is None else conv.residual.bias)
    return out.view(-1, conv.heads, conv.out_channels)


def _gain(norm: str, hop: Tensor) -> Tensor:
    if norm == "l2":
        return hop.norm(dim=-1, keepdim=True).clamp(min=L2_EPS).reciprocal()  # type: ignore[no-any-return]
    return (torch.var(hop, dim=-1, correction=0, keepdim=True) + LAYER_EPS).rsqrt()
