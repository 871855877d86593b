"""K hops and their combination as one operator, without keeping more than it must.

    Z_k = A Z_(k-1)            X_k = (Z_k - mean_k) r_k               r_k = 1, mean_k = 0 without a hop norm
    Y_k = S_k * X_k + O_k      what the weighting sees: scale, and offset plus positional embedding
    out = sum over k of alpha_k kappa_k * Y_k
    alpha = exp(beta) softmax over k of act(<b_query, Y_q> + <b_key, Y_k>)

alpha (a node and head) or kappa (a channel) may be absent. Backward, with g the gradient of ``out``, t_k that of Y_k
and y_k that of Z_k:

    alpha'_k = <g, kappa_k * Y_k>, through the softmax to logit gradients s_k and their sum s
    t_k      = alpha_k kappa_k * g + s_k b_key + [k = q] s b_query
    y_k      = A^T y_(k+1) + r_k (S_k * t_k - m1_k - X_k m2_k)         a'_ij = sum over k of <y_k[i], Z_(k-1)[j]>

where m1 and m2 are the means of S * t and S * t * X over a head's channels (layer norm; for L2 m1 = 0 and m2 is the
sum). Everything a parameter needs is one of four sums over nodes: of alpha g X, alpha g, s_k X and s X.

``store`` keeps the hops for backward. Otherwise backward walks again, in blocks of heads and channels, since a hop
treats them all alike; its memory does not grow with K. It walks once where attention can follow after
(:mod:`agdn.ops.walk_attention`), else twice: first for the products <g, Y_k>, then back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.halo import halo_of
from agdn.ops.propagate import propagate
from agdn.ops.route import route

if TYPE_CHECKING:
    from agdn.ops.walk import Walk

NORMS = {None: 0, "layer": 1, "l2": 2}
ACTIVATIONS = {"leaky_relu": 0, "relu": 1, "sigmoid": 2, "standardize": 3, "none": 4}


@dataclass(frozen=True)
class Combination:
    """How hops are combined: rows of ``scale`` and ``shift`` follow ``used_hops``, those of ``kernel`` first_hop..K."""

    hops: int
    first_hop: int = 0
    query_hop: int = 0
    norm: Literal["layer", "l2"] | None = None
    scale: Tensor | None = None  # (used hops, H, D)
    shift: Tensor | None = None  # (used hops, H, D)
    kernel: Tensor | None = None  # (hops in the sum, H, D)
    key: Tensor | None = None  # (H, D)
    query: Tensor | None = None  # (H, D)
    log_scale: Tensor | None = None  # (H,)
    activation: str = "leaky_relu"
    negative_slope: float = 0.2

    @property
    def is_one_plain_hop(self) -> bool:
        parts = (self.norm, self.scale, self.shift, self.kernel, self.key)
        return self.hops == self.first_hop == 1 and all(part is None for part in parts)


def diffuse(
    z: Tensor,
    weight: Tensor,
    graph: Graph,
    combination: Combination,
    *,
    dropout: float = 0.0,
    memory: Literal["store", "recompute"] = "store",
    overwrite: bool = False,
) -> tuple[Tensor, Tensor]:
    """Walk and combine on the compiled kernels.

    Args:
        z: ``(N, H, D)`` hop 0.
        weight: ``(1 or K, E, H or 1)`` transition weights in the graph's order, the same for all hops or one each.
        dropout: Of the features before every hop.
        overwrite: ``z`` is not needed any more: where no gradient is, its memory may be used for later hops.

    Returns:
        ``(N, H, D)`` and the attention over hops ``(N, H, hops in the sum)``, all ones where there is none.
    """
    c, training = combination, torch.is_grad_enabled()
    if c.is_one_plain_hop and dropout == 0:
        return propagate(z, weight[0], graph), z.new_ones(1).expand(*z.shape[:2], 1)
    seed = torch.empty((), dtype=torch.int64).random_(2**62) if dropout > 0 else torch.zeros((), dtype=torch.int64)
    if halo_of(graph) is not None:
        from agdn.ops.part_diffuse import diffuse_part

        return diffuse_part(z, weight, graph, c, seed=seed, dropout=dropout, store=memory == "store")
    by_source = graph.transposed if training else (None, None, None)
    arguments = (
        z.contiguous(), weight.contiguous(), graph.indptr, graph.indices, route(graph, z), *by_source,
        c.scale, c.shift, c.kernel, c.key, c.query, c.log_scale, seed,
        c.hops, c.first_hop, c.query_hop, NORMS[c.norm], ACTIVATIONS[c.activation], c.negative_slope, dropout,
    )  # fmt: skip
    if overwrite and not training and not torch.compiler.is_compiling():
        out = _walk(*arguments).forward(False, overwrite=True)
    else:
        out = diffuse_op(*arguments, training and memory == "store")
    return out[0], out[1]


def _walk(z, weight, indptr, indices, visits, by_source_indptr, by_source_indices, by_source_order, scale, shift,
          kernel, key, query, log_scale, seed, *numbers) -> Walk:  # fmt: skip
    from agdn.ops.walk import Walk

    return Walk(z, weight, indptr, indices, visits, scale, shift, kernel, key, query, log_scale, int(seed), *numbers)


@torch.library.custom_op("agdn::diffuse", mutates_args=())
def diffuse_op(
    z: Tensor,
    weight: Tensor,
    indptr: Tensor,
    indices: Tensor,
    visits: Tensor | None,
    by_source_indptr: Tensor | None,
    by_source_indices: Tensor | None,
    by_source_order: Tensor | None,
    scale: Tensor | None,
    shift: Tensor | None,
    kernel: Tensor | None,
    key: Tensor | None,
    query: Tensor | None,
    log_scale: Tensor | None,
    seed: Tensor,
    hops: int,
    first_hop: int,
    query_hop: int,
    norm: int,
    activation: int,
    slope: float,
    p: float,
    store: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """-> out, alpha and logits (N, H, K'), asked (N, H), stats (2, K+1 or 1, N, H), stored hops (K or 0, N, H, D)."""
    return _walk(
        z, weight, indptr, indices, visits, by_source_indptr, by_source_indices, by_source_order, scale, shift, kernel,
        key, query, log_scale, seed, hops, first_hop, query_hop, norm, activation, slope, p,
    ).forward(store)  # fmt: skip


@diffuse_op.register_fake
def _(z, weight, indptr, indices, visits, by_source_indptr, by_source_indices, by_source_order, scale, shift, kernel,
      key, query, log_scale, seed, hops, first_hop, query_hop, norm, activation, slope, p, store):  # fmt: skip
    nodes, heads, channels = z.shape
    weighted = hops + 1 - first_hop
    return (
        torch.empty_like(z),
        z.new_empty(nodes, heads, weighted),
        z.new_empty(nodes, heads, weighted),
        z.new_empty(nodes, heads),
        z.new_empty(2, hops + 1 if store or norm else 1, nodes, heads),
        z.new_empty(hops if store else 0, nodes, heads, channels),
    )


@torch.library.custom_op("agdn::diffuse_backward", mutates_args=())
def diffuse_backward_op(
    grad: Tensor,
    z: Tensor,
    weight: Tensor,
    indptr: Tensor,
    indices: Tensor,
    visits: Tensor | None,
    by_source_indptr: Tensor,
    by_source_indices: Tensor,
    by_source_order: Tensor,
    scale: Tensor | None,
    shift: Tensor | None,
    kernel: Tensor | None,
    key: Tensor | None,
    query: Tensor | None,
    log_scale: Tensor | None,
    seed: Tensor,
    alpha: Tensor,
    logits: Tensor,
    asked: Tensor,
    stats: Tensor,
    stored: Tensor,
    hops: int,
    first_hop: int,
    query_hop: int,
    norm: int,
    activation: int,
    slope: float,
    p: float,
    want_weight: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """-> gradients of z, weight, scale, shift, kernel, key, query, log_scale; empty where there is nothing."""
    by_source = (by_source_indptr, by_source_indices, by_source_order)
    walk = _walk(
        z, weight, indptr, indices, visits, *by_source, scale, shift, kernel, key, query, log_scale, seed,
        hops, first_hop, query_hop, norm, activation, slope, p,
    )  # fmt: skip
    return walk.backward(grad.contiguous(), by_source, alpha, logits, asked, stats, stored, want_weight)


@diffuse_backward_op.register_fake
def _(grad, z, weight, indptr, indices, visits, by_source_indptr, by_source_indices, by_source_order, scale, shift,
      kernel, key, query, log_scale, seed, alpha, logits, asked, stats, stored, hops, first_hop, query_hop, norm,
      activation, slope, p, want_weight):  # fmt: skip
    def like(tensor: Tensor | None) -> Tensor:
        return z.new_empty(0) if tensor is None else torch.empty_like(tensor)

    return (torch.empty_like(z), like(weight if want_weight else None), like(scale), like(shift), like(kernel),
            like(key), like(query), like(log_scale))  # fmt: skip


def _save(ctx, inputs, output) -> None:
    ctx.set_materialize_grads(False)  # else backward begins by filling zeros as large as the stored hops
    ctx.tensors, ctx.numbers = inputs[:15], inputs[15:-1]
    _, alpha, logits, asked, stats, stored = output
    ctx.mark_non_differentiable(alpha, logits, asked, stats, stored)
    ctx.save_for_backward(*ctx.tensors, alpha, logits, asked, stats, stored)
    ctx.tensors = None


def _backward(ctx, grad, *_):
    needed = ctx.needs_input_grad
    if grad is None:
        return (None,) * len(needed)
    gradients = diffuse_backward_op(grad, *ctx.saved_tensors, *ctx.numbers, needed[1])
    z, weight, *parameters = gradients
    small = [value if need else None for value, need in zip(parameters, needed[8:14], strict=True)]
    return (z if needed[0] else None, weight if needed[1] else None, *[None] * 6, *small, *[None] * 9)


diffuse_op.register_autograd(_backward, setup_context=_save)
