"""The walk of :mod:`agdn.ops.diffuse` on a part of a graph: every hop asks the other parts for the rows of its halo.

    Z_k = A_inner Z_(k-1) + A_outer H_(k-1)          H: the halo's rows, as their owners have them after dropout

Forward the rows travel while the inner product is computed. Backward the gradient of the halo's rows, A_outer^T y_k,
travels to their owners while the inner one is computed, and is added there. Edge weights of outer edges need the halo's
rows once more, so they are kept with the hops; without ``store`` hops and halo are walked again in backward, one layer
at a time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops import cache_blocks
from agdn.ops.blocks import Block
from agdn.ops.halo import Halo, Waiting
from agdn.ops.kernels import walk
from agdn.ops.kernels.buffers import empty
from agdn.ops.kernels.dropout import drop
from agdn.ops.kernels.edges import permuted
from agdn.ops.kernels.jit import along, row_chunks
from agdn.ops.route import route
from agdn.ops.walk import Walk
from agdn.ops.walk_back import WalkBack

VECTORS = ("scale", "shift", "kernel", "key", "query", "log_scale")


class Edges(NamedTuple):
    """A part's edges by where their source is.

    Attributes:
        inner, inside: The graph of the edges between own nodes, and their positions among the part's edges.
        outer, outside: The bipartite graph from the halo to the own nodes that it reaches, and its edges' positions.
        reached: (B,) these own nodes.
        halo: The way to the other parts.
        ids: (N,) the own nodes' ids in the whole graph.
    """

    inner: Graph
    inside: Tensor
    outer: Graph
    outside: Tensor
    reached: Tensor
    halo: Halo
    ids: Tensor


def diffuse_part(z, weight, graph: Any, c, *, seed: Tensor, dropout: float, store: bool) -> tuple[Tensor, Tensor]:
    """As :func:`agdn.ops.diffuse.diffuse`, for a graph that has a halo."""
    from agdn.ops.diffuse import ACTIVATIONS, NORMS

    numbers = (c.hops, c.first_hop, c.query_hop, NORMS[c.norm], ACTIVATIONS[c.activation], c.negative_slope, dropout)
    vectors = [getattr(c, name) for name in VECTORS]
    out: tuple[Tensor, Tensor] = _Diffused.apply(
        z.contiguous(), weight.contiguous(), *vectors, graph.divided, int(seed), numbers, store
    )
    return out


class _Diffused(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z, weight, scale, shift, kernel, key, query, log_scale, edges, seed, numbers, store):
        ctx.edges, ctx.seed, ctx.numbers = edges, seed, numbers
        ctx.set_materialize_grads(False)
        training = any(ctx.needs_input_grad)
        walked = PartWalk(edges, z, weight, scale, shift, kernel, key, query, log_scale, seed, *numbers)
        keep = training and store
        out, alpha, logits, asked, stats, stored = walked.forward(keep, halos=keep)
        results = (logits, asked, stats, stored, walked.halos) if keep else (None,) * 5
        ctx.save_for_backward(
            *((z, weight, scale, shift, kernel, key, query, log_scale, alpha, *results) if training else ())
        )
        ctx.mark_non_differentiable(alpha)
        return out, alpha

    @staticmethod
    def backward(ctx, grad, _):
        *inputs, alpha, logits, asked, stats, stored, halos = ctx.saved_tensors
        walked = PartWalk(ctx.edges, *inputs, ctx.seed, *ctx.numbers)
        grad = torch.zeros_like(inputs[0]) if grad is None else grad.contiguous()
        if stored is None:
            _, alpha, logits, asked, stats, stored = walked.forward(True, halos=True)
        else:
            walked.halos = halos
        want = ctx.needs_input_grad[1]
        back = PartWalkBack(walked, grad, alpha, logits, asked, stats, stored, want)
        z_grad, weight_grad, *vectors = back.gradients()
        if want:
            weight_grad = back.joined(weight_grad)
        needed = ctx.needs_input_grad[2:8]
        small = [value if need else None for value, need in zip(vectors, needed, strict=True)]
        return z_grad, weight_grad if want else None, *small, None, None, None, None


class PartWalk(Walk):
    """A walk on the inner edges; what comes over the outer ones is added hop by hop."""

    halos: Tensor

    def __init__(self, edges: Edges, z: Tensor, weight: Tensor, scale, shift, kernel, key, query, log_scale, seed,
                 *numbers) -> None:  # fmt: skip
        inner = edges.inner
        super().__init__(
            z, weight[:, edges.inside], inner.indptr, inner.indices, route(inner, z), scale, shift, kernel, key, query,
            log_scale, seed, *numbers,
        )  # fmt: skip
        self.edges, self.outer_weight = edges, weight[:, edges.outside]
        self.ids = edges.ids.numpy()
        self.halos = z.new_empty(0)

    def forward(self, store: bool, *, overwrite: bool = False, halos: bool = False):
        if halos:
            self.halos = empty((self.hops, self.edges.halo.size, self.heads, self.channels), self.z.dtype)
        return super().forward(store, overwrite=overwrite)

    def _hop(self, k: int, z: Tensor, following: Tensor, probes: tuple[Any, ...]) -> None:
        waiting = self.edges.halo.begin(z)
        super()._hop(k, z, following, ())
        received = waiting()
        if len(self.halos):
            self.halos[k - 1] = received
        outer = self.edges.outer
        if outer.num_edges:
            x = self._as_transition_sees(received)
            y = empty((outer.num_dst, *x.shape[1:]), z.dtype)
            weight = self.outer_weight[k - 1 if len(self.outer_weight) > 1 else 0].contiguous().numpy()
            edges = (*along(None, outer.indptr), outer.indptr.numpy(), outer.indices.numpy(), weight, x)
            cache_blocks.product(*edges, y.numpy())
            following.index_add_(0, self.edges.reached, y.view(-1, *following.shape[1:]))
        if probes:
            walk.probe_rows(self.rows, following.numpy(), *probes)


class PartWalkBack(WalkBack):
    """The walk back on the inner edges; gradients of the halo's rows go to their owners."""

    f: PartWalk

    def __init__(self, forward: PartWalk, g, alpha, logits, asked, stats, stored, want_weight: bool) -> None:
        edges = forward.edges
        super().__init__(forward, g, edges.inner.transposed, alpha, logits, asked, stats, stored, want_weight)
        self.by_halo = edges.outer.transposed
        self.outer_weight, self.outer_grad = (torch.empty_like(forward.outer_weight) for _ in range(2))
        self.outer_grad.zero_()  # both in the by-source order
        for mine, theirs in zip(self.outer_weight, forward.outer_weight, strict=True):
            permuted(theirs.contiguous().numpy(), self.by_halo.order.numpy(), mine.numpy(), False)

    def _gradient_of_hop(self, k: int, z: Tensor, above: Tensor | None, out: Tensor, g: Tensor, edges, block: Block,
                         sums: Tensor) -> Tensor:  # fmt: skip
        waiting = None if above is None else self._begin_return(k, above)
        super()._gradient_of_hop(k, z, above, out, g, edges, block, sums)
        if waiting is not None:
            out.index_add_(0, self.f.edges.halo.sent, self._dropped_alike(k, waiting()))
        return out

    def _begin_return(self, k: int, y: Tensor) -> Waiting:
        """The gradient of what hop k + 1 read of the halo; that of the outer edges' weights on the way."""
        f, outer = self.f, self.f.edges.outer
        halo_grad = y.new_zeros(f.edges.halo.size, *y.shape[1:])
        if outer.num_edges:
            at = k if len(self.outer_weight) > 1 else 0
            own, x, x_grad = (f._as_transition_sees(rows) for rows in (y[f.edges.reached], f.halos[k], halo_grad))
            chunks, order = along(None, self.by_halo.indptr)
            cache_blocks.product_back(
                chunks, order, self.by_halo.indptr.numpy(), self.by_halo.indices.numpy(), self.outer_weight[at].numpy(),
                own, x, x_grad, self.outer_grad[at].numpy(), self.want_weight,
            )  # fmt: skip
        return f.edges.halo.begin_return(halo_grad)

    def _dropped_alike(self, k: int, rows: Tensor) -> Tensor:
        """What hop k + 1 dropped of the rows that were sent is dropped of their gradient."""
        f = self.f
        if f.p == 0:
            return rows
        ids = f.edges.ids[f.edges.halo.sent].numpy()
        out = torch.empty_like(rows)
        drop(row_chunks(len(rows)), rows.numpy(), ids, True, f.seed + k + 1, f.p, 0, f.channels, out.numpy())
        return out

    def joined(self, inner_grad: Tensor) -> Tensor:
        """Gradients of all edges' weights, in the part's order."""
        edges = self.f.edges
        outer_grad = torch.empty_like(self.outer_grad)
        for ours, out in zip(self.outer_grad, outer_grad, strict=True):
            permuted(ours.numpy(), self.by_halo.order.numpy(), out.numpy(), True)
        total = inner_grad.new_empty(len(inner_grad), len(edges.inside) + len(edges.outside), inner_grad.size(2))
        return total.index_copy_(1, edges.inside, inner_grad).index_copy_(1, edges.outside, outer_grad)
