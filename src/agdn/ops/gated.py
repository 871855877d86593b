"""Hops that open and close by themselves: each node takes of each hop what a gate on that hop lets through.

    out = sum over k of s_k Z_k          Z_k = A^k z          s_k = sigmoid(<Z_k, q> + b), a number a node

Backward, with g the gradient of ``out`` and y_k that of Z_k:

    y_k = A^T y_(k+1) + s_k g + s_k (1 - s_k) <g, Z_k> q

one gather a hop, from which the gradients of q and b follow too.
"""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.backend import kernels_run_on
from agdn.ops.halo import halo_of
from agdn.ops.propagate import in_source_order, propagate
from agdn.ops.route import route


def gated_hops(z: Tensor, weight: Tensor, graph: Graph, hops: int, query: Tensor, bias: Tensor) -> Tensor:
    """(N, C), the gated sum of hops 0..K of ``z`` (N, C).

    Args:
        weight: ``(E, 1)`` of the transition A, in the graph's order.
        query: ``(C,)``.
        bias: One number, of shape ``()``.
    """
    if not kernels_run_on(z) or weight.requires_grad or halo_of(graph) is not None:
        return _by_hops(z, weight, graph, hops, query, bias)
    training = torch.is_grad_enabled()
    by_source = graph.transposed if training else (None, None, None)
    fixed = None if by_source[2] is None else in_source_order(weight, by_source[2])
    out: tuple[Tensor, Tensor, Tensor] = gated_hops_op(
        z.contiguous(), weight, graph.indptr, graph.indices, route(graph, z), by_source[0], by_source[1], fixed,
        query, bias, hops, training,
    )  # fmt: skip
    return out[0]


def _by_hops(z: Tensor, weight: Tensor, graph: Graph, hops: int, query: Tensor, bias: Tensor) -> Tensor:
    out = torch.sigmoid(z @ query + bias).unsqueeze(1) * z
    for _ in range(hops):
        z = propagate(z.unsqueeze(1), weight, graph).squeeze(1)
        out = out + torch.sigmoid(z @ query + bias).unsqueeze(1) * z
    return out


@torch.library.custom_op("agdn::gated_hops", mutates_args=())
def gated_hops_op(
    z: Tensor,
    weight: Tensor,
    indptr: Tensor,
    indices: Tensor,
    visits: Tensor | None,
    by_source_indptr: Tensor | None,
    by_source_indices: Tensor | None,
    fixed: Tensor | None,
    query: Tensor,
    bias: Tensor,
    hops: int,
    store: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """-> out, gates (K + 1, N), and the hops 1..K (K, N, C), or none of them where nothing is stored."""
    from agdn.ops import cache_blocks
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.filters import gate_rows, product_gated
    from agdn.ops.kernels.jit import along, row_chunks, use_threads

    use_threads()
    shape, rows = (len(z), 1, z.size(1)), row_chunks(len(z))
    out, gates = empty(tuple(z.shape), z.dtype), torch.empty(hops + 1, len(z), dtype=z.dtype)
    stored = empty((hops if store else 0, *z.shape), z.dtype)
    buffers = stored if store else [empty(tuple(z.shape), z.dtype) for _ in range(min(hops, 2))]
    gate = (query.contiguous().numpy(), z.numpy().dtype.type(float(bias)))
    edges = (*along(visits, indptr), indptr.numpy(), indices.numpy(), weight.contiguous().numpy())
    taken = out.view(shape).numpy()
    y = z.view(shape)
    gate_rows(rows, y.numpy(), *gate, True, gates[0].numpy(), taken)
    for k in range(1, hops + 1):
        following = buffers[(k - 1) % len(buffers)].view(shape)
        if cache_blocks.worthwhile(y.numpy(), len(indices)):
            cache_blocks.product(*edges, y.numpy(), following.numpy())
            gate_rows(rows, following.numpy(), *gate, False, gates[k].numpy(), taken)
        else:
            product_gated(*edges, y.numpy(), *gate, following.numpy(), gates[k].numpy(), taken)
        y = following
    return out, gates, stored


@gated_hops_op.register_fake
def _(z, weight, indptr, indices, visits, by_source_indptr, by_source_indices, fixed, query, bias, hops, store):
    return torch.empty_like(z), z.new_empty(hops + 1, len(z)), z.new_empty(hops if store else 0, *z.shape)


@torch.library.custom_op("agdn::gated_hops_backward", mutates_args=())
def gated_hops_backward_op(
    grad: Tensor,
    z: Tensor,
    gates: Tensor,
    stored: Tensor,
    visits: Tensor | None,
    by_source_indptr: Tensor,
    by_source_indices: Tensor,
    fixed: Tensor,
    query: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """-> gradients of z, the query and the bias."""
    from agdn.ops import cache_blocks
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.filters import gate_rows_back, product_gated_back
    from agdn.ops.kernels.jit import along, row_chunks, use_threads

    use_threads()
    shape, hops, rows = (len(z), 1, z.size(1)), len(stored), row_chunks(len(z))
    g, q = grad.view(shape).numpy(), query.contiguous().numpy()
    chunks, visited = along(visits, by_source_indptr)
    edges = (chunks, visited, by_source_indptr.numpy(), by_source_indices.numpy(), fixed.contiguous().numpy())
    sums = torch.zeros(max(len(chunks), len(rows)), z.size(1) + 1, dtype=z.dtype)
    buffers = [empty(shape, z.dtype) for _ in range(min(hops, 1) + 1)]
    y = buffers[hops % 2].zero_()
    last = (z if hops == 0 else stored[-1]).view(shape).numpy()
    gate_rows_back(rows, g, last, gates[hops].numpy(), q, y.numpy(), sums.numpy())
    for k in range(hops - 1, -1, -1):
        hop, out = (z if k == 0 else stored[k - 1]).view(shape).numpy(), buffers[k % 2]
        if cache_blocks.worthwhile(y.numpy(), len(by_source_indices)):
            cache_blocks.product(*edges, y.numpy(), out.numpy())
            gate_rows_back(rows, g, hop, gates[k].numpy(), q, out.numpy(), sums.numpy())
        else:
            product_gated_back(*edges, y.numpy(), g, hop, gates[k].numpy(), q, out.numpy(), sums.numpy())
        y = out
    total = sums.sum(0)
    return y.view_as(z), total[:-1].contiguous(), total[-1].clone()


@gated_hops_backward_op.register_fake
def _(grad, z, gates, stored, visits, by_source_indptr, by_source_indices, fixed, query):
    return torch.empty_like(z), torch.empty_like(query), z.new_empty(())


def _save(ctx, inputs, output) -> None:
    ctx.set_materialize_grads(False)  # else backward begins by filling zeros as large as the stored hops
    z, _, _, _, visits, *by_source, query, _, _, _ = inputs
    _, gates, stored = output
    ctx.mark_non_differentiable(gates, stored)
    ctx.save_for_backward(z, gates, stored, visits, *by_source, query)


def _backward(ctx, grad, *_):
    if grad is None:
        return (None,) * 12
    z, query, bias = gated_hops_backward_op(grad.contiguous(), *ctx.saved_tensors)
    return z, *[None] * 7, query, bias, None, None


gated_hops_op.register_autograd(_backward, setup_context=_save)
