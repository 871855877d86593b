"""The layer of the paper: transform, diffuse, combine, add the residual.

Z_0 = X W        Z_k = A Z_(k-1)        out = sum over k of Theta_k * Z_k + X W_r
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.nn.hops import HopNorm, HopTransform, PositionInit
from agdn.nn.init import glorot_normal_
from agdn.nn.linear import Linear, plus_product
from agdn.nn.transition import TRANSITIONS, FixedTransition
from agdn.nn.weighting import WEIGHTINGS, FixedWeighting, HopWeighting
from agdn.ops import Combination, diffuse, drop_edges, dropout, kernels_run_on, polynomial, propagate
from agdn.ops.halo import edge_places, halo_of, own_ids
from agdn.ops.sparse_rows import is_sparse
from agdn.part import build

Part = str | Mapping[str, Any] | nn.Module | Callable[..., nn.Module]


class Weights(NamedTuple):
    """What a layer attended to."""

    transition: Tensor  # (E, H or 1), in the caller's edge order; zero for a dropped edge
    hops: Tensor | None  # theta, broadcastable to (N, H, hops in the sum, D); None if the weighting does not tell


class AGDNConv(nn.Module):
    """Adaptive graph diffusion convolution.

    Without options this is the paper's layer: hops 0..K, learned attention between neighbours (``gat``) and over hops
    (``HA``), the linear residual. It never adds self-loops.

    Args:
        in_channels: Width F of the input; a pair (source, target) for a bipartite graph with two kinds of input.
        out_channels: Channels D a head.
        hops: Diffusion depth K; 0 is a linear layer.
        heads: Attention heads H.
        concat: Output (N, H * D); otherwise the heads are averaged to (N, D).
        transition: Name, mapping with ``name`` and options, or a module: see :mod:`agdn.nn.transition`.
        weighting: Name, mapping with ``name`` and options, or a module: see :mod:`agdn.nn.weighting`.
        residual: Add X W_r; ``"bias"`` gives that map a bias of its own.
        bias: Add a learned vector to the output.
        edge_dim: Width of the edge features in the attention score.
        first_hop: Combine hops first_hop..K.
        hop_norm: None, ``"layer"`` or ``"l2"``: normalise each hop before it is weighed.
        position: Add a learned vector to each hop before it is weighed.
        position_init: What its first values are scaled by: see :class:`agdn.nn.hops.HopTransform`.
        edge_dropout: Share of the edges left out of a training step, the same for all hops; exact count.
        attn_dropout: Dropout of the transition weights.
        attn_dropout_per_hop: Draw it anew for every hop, not once for all.
        diffusion_dropout: Dropout of the features before every hop.
        memory: ``"store"`` keeps the hops for backward, ``"recompute"`` walks them again.

    Shapes:
        x ``(N, F)``, or a pair ``((N_src, F), (N_dst, F))`` for a bipartite graph, where K must be 1. Output
        ``(N, H * D)`` or ``(N, D)``.
    """

    def __init__(
        self,
        in_channels: int | tuple[int, int],
        out_channels: int,
        hops: int = 3,
        heads: int = 1,
        *,
        concat: bool = True,
        transition: Part = "gat",
        weighting: Part = "HA",
        residual: bool | Literal["bias"] = True,
        bias: bool = False,
        edge_dim: int | None = None,
        first_hop: int = 0,
        hop_norm: HopNorm | None = None,
        position: bool = False,
        position_init: PositionInit = "stack",
        edge_dropout: float = 0.0,
        attn_dropout: float = 0.0,
        attn_dropout_per_hop: bool = False,
        diffusion_dropout: float = 0.0,
        memory: Literal["store", "recompute"] = "store",
    ) -> None:
        super().__init__()
        _check_counts(in_channels=in_channels, out_channels=out_channels, heads=heads)
        if hops < 0:
            raise ValueError(f"hops must not be negative, got {hops}")
        if memory not in ("store", "recompute"):
            raise ValueError(f"memory must be store or recompute, got {memory!r}")
        for option, p in (
            ("edge_dropout", edge_dropout),
            ("attn_dropout", attn_dropout),
            ("diffusion_dropout", diffusion_dropout),
        ):
            if not 0 <= p < 1:
                raise ValueError(f"{option} must lie in [0, 1), got {p}")
        source, target = in_channels if isinstance(in_channels, tuple) else (in_channels, in_channels)
        width = heads * out_channels
        self.in_channels, self.out_channels, self.hops, self.heads = in_channels, out_channels, hops, heads
        self.concat, self.memory = concat, memory
        self.edge_dropout, self.attn_dropout, self.diffusion_dropout = edge_dropout, attn_dropout, diffusion_dropout
        self.attn_dropout_per_hop = attn_dropout_per_hop

        self.transform = Linear(source, width, bias=False)
        self.target_transform = Linear(target, width, bias=False) if isinstance(in_channels, tuple) else None
        shape = {"in_channels": (source, target), "heads": heads, "channels": out_channels}
        self.transition = build("transition", TRANSITIONS, transition, edge_dim=edge_dim, **shape)
        self.weighting = build("weighting", WEIGHTINGS, weighting, hops=hops, first_hop=first_hop, **shape)
        self.used_hops: tuple[int, ...] = getattr(self.weighting, "used_hops", tuple(range(hops + 1)))
        if self.used_hops[-1] > hops:
            raise ValueError(f"the weighting uses hop {self.used_hops[-1]}, but the layer makes hops 0..{hops}")
        self.hop_transform = HopTransform(
            self.used_hops, heads, out_channels, norm=hop_norm, position=position, position_init=position_init
        )
        self.residual = Linear(target, width, bias=residual == "bias") if residual else None
        self.bias = nn.Parameter(torch.empty(width if concat else out_channels)) if bias else None
        self._reset_linear()

    def reset_parameters(self) -> None:
        self._reset_linear()
        for part in (self.transition, self.weighting, self.hop_transform):
            if hasattr(part, "reset_parameters"):
                part.reset_parameters()  # type: ignore[operator]

    def _reset_linear(self) -> None:
        for linear in (self.transform, self.target_transform, self.residual):
            if linear is not None:
                linear.reset_parameters()
                glorot_normal_(linear.weight, linear.in_features, linear.out_features)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(
        self,
        x: Tensor | tuple[Tensor, Tensor],
        graph: Graph | Tensor,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
        *,
        return_weights: bool = False,
    ) -> Any:
        """Apply the layer; with ``return_weights`` the result is ``(out, Weights)``.

        ``edge_attr`` (E, edge_dim) and ``edge_weight`` (E,) are in the order of the edges as the caller gave them.
        """
        x_source, x_target = x if isinstance(x, tuple) else (x, x)
        graph = self._checked(x_source, x_target, graph, edge_attr, edge_weight)
        kept = drop_edges(graph, self.edge_dropout, self.training)

        # Before the hops, so that its backward comes after theirs, when their memory is free again.
        residual = self.residual(x_target) if self.residual is not None and torch.is_grad_enabled() else None
        if x_source is x_target and not return_weights and self._diffuses_first(x_source):
            out = self.transform(self._diffused_input(x_source, kept, edge_weight))
            return self._finished(out, residual, x_target)
        z_source = self._heads(self.transform, x_source)
        z_target = z_source
        if x_target is not x_source:
            z_target = self._heads(self.target_transform or self.transform, x_target)
        a = self.transition(kept, (x_source, x_target), (z_source, z_target), edge_attr, edge_weight)

        out, theta = self._diffused(z_source, z_target, a, kept, return_weights)
        out = self._finished(out.flatten(1), residual, x_target)
        return (out, self._weights(a, kept, theta)) if return_weights else out

    def _diffuses_first(self, x: Tensor) -> bool:
        """Whether (P(A) X) W is P(A) (X W), and costs less.

        A hop costs its width, and once more where a gradient comes back through it.
        """
        fixed = isinstance(self.transition, FixedTransition) and isinstance(self.weighting, FixedWeighting)
        dropped = self.training and (self.attn_dropout > 0 or self.diffusion_dropout > 0)
        if not fixed or dropped or not self.hop_transform.is_identity or is_sparse(x) or not kernels_run_on(x):
            return False
        of_input, of_output = 1 + x.requires_grad, 1 + torch.is_grad_enabled()
        return of_input * x.size(1) < of_output * self.heads * self.out_channels

    def _diffused_input(self, x: Tensor, graph: Graph, edge_weight: Tensor | None) -> Tensor:
        a = self.transition(graph, (x, x), (x, x), None, edge_weight)
        first: int = self.weighting.first_hop  # type: ignore[assignment]
        coefficients: Tensor = self.weighting.coefficients  # type: ignore[assignment]
        return polynomial(x, a, graph, torch.cat([coefficients.new_zeros(first), coefficients]))

    def _finished(self, out: Tensor, residual: Tensor | None, x_target: Tensor) -> Tensor:
        """(N, H * D) or (N, D), with what is added to the hops."""
        out = self._with_residual(out, residual, x_target)
        if not self.concat:
            out = out.view(-1, self.heads, self.out_channels).mean(1)
        return out if self.bias is None else out + self.bias

    def _diffused(
        self, z_source: Tensor, z_target: Tensor, a: Tensor, graph: Graph, tell: bool
    ) -> tuple[Tensor, Tensor | None]:
        """The weighted sum of the hops (N, H, D) and, if asked for, the weights."""
        draws = self.hops if self.attn_dropout_per_hop and self.attn_dropout > 0 and self.training else 1
        places = edge_places(graph) if self.attn_dropout > 0 and self.training else None
        drawn = [dropout(a, self.attn_dropout, self.training, places) for _ in range(draws)]
        per_hop = drawn[0].unsqueeze(0) if draws == 1 else torch.stack(drawn)  # (1 or K, E, H)
        built_in = isinstance(self.weighting, HopWeighting) and z_source is z_target
        if built_in and kernels_run_on(z_source) and not (tell and torch.is_grad_enabled()):
            return self._fused(z_source, per_hop, graph, tell)
        if self.memory == "recompute" and torch.is_grad_enabled() and not tell:
            from torch.utils.checkpoint import checkpoint

            out = checkpoint(self._unfused, z_source, z_target, per_hop, graph, False, use_reentrant=False)
        else:
            out = self._unfused(z_source, z_target, per_hop, graph, tell)
        return out  # type: ignore[no-any-return]

    def _fused(self, z: Tensor, per_hop: Tensor, graph: Graph, tell: bool = False) -> tuple[Tensor, Tensor | None]:
        terms = {**self.hop_transform.terms(), **self.weighting.terms()}  # type: ignore[operator]
        p = self.diffusion_dropout if self.training else 0.0
        terms = {k: v.to(z.dtype) if isinstance(v, Tensor) else v for k, v in terms.items()}
        out, alpha = diffuse(z, per_hop, graph, Combination(**terms), dropout=p, memory=self.memory, overwrite=True)
        if not tell:
            return out, None
        kernel, attends = terms.get("kernel"), terms.get("key") is not None
        theta = alpha.unsqueeze(-1) if attends else torch.ones_like(alpha[:1, :1]).unsqueeze(-1)
        return out, theta if kernel is None else theta * kernel.transpose(0, 1).unsqueeze(0)

    def _unfused(
        self, z_source: Tensor, z_target: Tensor, per_hop: Tensor, graph: Graph, tell: bool
    ) -> tuple[Tensor, Tensor | None]:
        z, hops = z_source, [z_target]
        for k in range(self.hops):
            z = dropout(z, self.diffusion_dropout, self.training, own_ids(graph))
            z = propagate(z, per_hop[k % len(per_hop)], graph)
            hops.append(z)
        seen = self.hop_transform([hops[k] for k in self.used_hops])
        weights = getattr(self.weighting, "weights", None)
        return self.weighting(seen), weights(seen) if tell and weights is not None else None

    def _with_residual(self, out: Tensor, residual: Tensor | None, x: Tensor) -> Tensor:
        """out + X W_r, without a third tensor."""
        if self.residual is None:
            return out
        if residual is not None:
            return residual.add_(out)
        if is_sparse(x):
            return out.add_(self.residual(x))
        out = plus_product(out, x, self.residual.weight.t())
        return out if self.residual.bias is None else out + self.residual.bias

    def _heads(self, linear: nn.Module, x: Tensor) -> Tensor:
        out: Tensor = linear(x)
        return out.view(-1, self.heads, self.out_channels)

    def _weights(self, a: Tensor, graph: Graph, theta: Tensor | None) -> Weights:
        transition = a.new_zeros(graph.full.num_edges, a.size(1)).index_copy(0, graph.order.long(), a)
        return Weights(transition, theta)

    def _checked(
        self,
        x_source: Tensor,
        x_target: Tensor,
        graph: Graph | Tensor,
        edge_attr: Tensor | None,
        edge_weight: Tensor | None,
    ) -> Graph:
        if isinstance(graph, Tensor):
            sizes = x_source.size(0), x_target.size(0)
            graph = Graph(graph, sizes[0]) if x_source is x_target else Graph(graph, size=sizes)
        if (graph.is_bipartite or x_source is not x_target) and self.hops != 1:
            raise ValueError(f"a bipartite graph allows one hop only: build the layer with hops=1, not {self.hops}")
        widths = self.in_channels if isinstance(self.in_channels, tuple) else (self.in_channels,) * 2
        for rows, expected, width, end in (
            (x_source, graph.num_src if halo_of(graph) is None else graph.num_dst, widths[0], "source"),
            (x_target, graph.num_dst, widths[1], "target"),
        ):
            if rows.size(0) != expected:
                raise ValueError(f"the graph has {expected} {end} nodes, but x has {rows.size(0)} rows for them")
            if rows.size(1) != width:
                raise ValueError(f"the layer was built for {width} input channels, but x has {rows.size(1)}")
        for name, values in (("edge_attr", edge_attr), ("edge_weight", edge_weight)):
            if values is not None and values.size(0) != graph.full.num_edges:
                raise ValueError(f"the graph has {graph.full.num_edges} edges, but {name} has {values.size(0)} rows")
        return graph

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.in_channels}, {self.out_channels}, hops={self.hops}, heads={self.heads}, "
            f"transition={_label(self.transition)}, weighting={_label(self.weighting)})"
        )


def _label(part: nn.Module) -> str:
    detail = part.extra_repr()
    return f"{type(part).__name__}({detail})"


def _check_counts(**counts: int | tuple[int, int]) -> None:
    for name, count in counts.items():
        if any(c < 1 for c in (count if isinstance(count, tuple) else (count,))):
            raise ValueError(f"{name} must be at least 1, got {count}")
