"""Attention scores of edges that look at both ends' rows channel by channel.

    dot     s_eh = <q_ih, k_jh>                                     graph transformers
    leaky   s_eh = <v_h, LeakyReLU(l_jh + r_ih)>                    GATv2

No (E, H, D) tensor is made. The gradients of ``dot`` are hops, q' = S k and k' = S^T q with the scores' gradient as
weights; those of ``leaky`` go once over the edges from each side.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.backend import kernels_run_on
from agdn.ops.halo import with_halo
from agdn.ops.propagate import spmm


def edge_dot(query: Tensor, key: Tensor, graph: Graph) -> Tensor:
    """(num_dst, H, D) queries and (num_src, H, D) keys -> (E, H) in the graph's order."""
    if not kernels_run_on(key):
        heads = range(key.size(1))
        return torch.stack([(query[graph.targets, h] * key[graph.indices, h]).sum(-1) for h in heads], 1)
    by_source = graph.transposed if torch.is_grad_enabled() else (None, None, None)
    out: Tensor = edge_dot_op(query.contiguous(), key.contiguous(), graph.indptr, graph.indices, *by_source)
    return out


@torch.library.custom_op("agdn::edge_dot", mutates_args=())
def edge_dot_op(
    query: Tensor,
    key: Tensor,
    indptr: Tensor,
    indices: Tensor,
    by_source_indptr: Tensor | None,
    by_source_indices: Tensor | None,
    by_source_order: Tensor | None,
) -> Tensor:
    from agdn.ops.kernels.edge_rows import dot
    from agdn.ops.kernels.jit import chunks_of, use_threads

    use_threads()
    out = key.new_empty(indices.size(0), key.size(1))
    arrays = (indptr, indices, query, key, out)
    dot(chunks_of(indptr.numpy()), *(array.numpy() for array in arrays), work=len(indices) * key[:1].numel())
    return out


@edge_dot_op.register_fake
def _(query, key, indptr, indices, by_source_indptr, by_source_indices, by_source_order):
    return key.new_empty(indices.size(0), key.size(1))


def _save_dot(ctx, inputs, output) -> None:
    ctx.save_for_backward(*inputs)


def _dot_backward(ctx, grad):
    query, key, indptr, indices, by_source_indptr, by_source_indices, order = ctx.saved_tensors
    nothing = [None] * 5
    grad = grad.contiguous()
    query_grad = spmm(key, grad, indptr, indices, *nothing) if ctx.needs_input_grad[0] else None
    key_grad = spmm(query, grad[order], by_source_indptr, by_source_indices, *nothing)
    return query_grad, key_grad, *nothing


edge_dot_op.register_autograd(_dot_backward, setup_context=_save_dot)


def leaky_scores(source: Tensor, target: Tensor, vector: Tensor, graph: Graph, slope: float) -> Tensor:
    """(num_src, H, D), (num_dst, H, D) rows and an (H, D) vector -> (E, H) in the graph's order.

    Of a part of a graph the rows of ``source`` are its own.
    """
    source = with_halo(source, graph)
    if not kernels_run_on(source):
        scores = [
            F.leaky_relu(source[graph.indices, h] + target[graph.targets, h], slope) @ vector[h]
            for h in range(source.size(1))
        ]
        return torch.stack(scores, 1)
    by_source = graph.transposed if torch.is_grad_enabled() else (None, None, None)
    rows = (source.contiguous(), target.contiguous(), vector.to(source.dtype).contiguous())
    out: Tensor = leaky_op(*rows, graph.indptr, graph.indices, *by_source, slope)
    return out


@torch.library.custom_op("agdn::leaky_scores", mutates_args=())
def leaky_op(
    source: Tensor,
    target: Tensor,
    vector: Tensor,
    indptr: Tensor,
    indices: Tensor,
    by_source_indptr: Tensor | None,
    by_source_indices: Tensor | None,
    by_source_order: Tensor | None,
    slope: float,
) -> Tensor:
    from agdn.ops.kernels.edge_rows import leaky
    from agdn.ops.kernels.jit import chunks_of, use_threads

    use_threads()
    out = source.new_empty(indices.size(0), source.size(1))
    arrays = tuple(array.numpy() for array in (indptr, indices, source, target, vector))
    leaky(chunks_of(arrays[0]), *arrays, slope, out.numpy(), work=len(indices) * vector.numel())
    return out


@leaky_op.register_fake
def _(source, target, vector, indptr, indices, by_source_indptr, by_source_indices, by_source_order, slope):
    return source.new_empty(indices.size(0), source.size(1))


@torch.library.custom_op("agdn::leaky_scores_backward", mutates_args=())
def leaky_backward_op(
    grad: Tensor,
    source: Tensor,
    target: Tensor,
    vector: Tensor,
    indptr: Tensor,
    indices: Tensor,
    by_source_indptr: Tensor,
    by_source_indices: Tensor,
    by_source_order: Tensor,
    slope: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of both ends' rows and of the vector."""
    from agdn.ops.kernels.edge_rows import leaky_back
    from agdn.ops.kernels.jit import chunks_of, use_threads

    use_threads()
    sides = (
        (by_source_indptr, by_source_indices, True, source, target),
        (indptr, indices, False, target, source),
    )
    results, work = [], len(indices) * vector.numel()
    for pointers, ends, ordered, mine, other in sides:
        chunks, out = chunks_of(pointers.numpy()), torch.empty_like(mine)
        sums = vector.new_zeros(len(chunks) - 1 if ordered else 0, *vector.shape)
        leaky_back(
            chunks, pointers.numpy(), ends.numpy(), by_source_order.numpy(), ordered, grad.numpy(), mine.numpy(),
            other.numpy(), vector.numpy(), slope, out.numpy(), sums.numpy(), work=work,
        )  # fmt: skip
        results.append(out)
        if ordered:
            vector_grad = sums.sum(0)
    return results[0], results[1], vector_grad


@leaky_backward_op.register_fake
def _(grad, source, target, vector, *structure):
    return torch.empty_like(source), torch.empty_like(target), torch.empty_like(vector)


def _save_leaky(ctx, inputs, output) -> None:
    *tensors, ctx.slope = inputs
    ctx.save_for_backward(*tensors)


def _leaky_backward(ctx, grad):
    return *leaky_backward_op(grad.contiguous(), *ctx.saved_tensors, ctx.slope), *[None] * 6


leaky_op.register_autograd(_leaky_backward, setup_context=_save_leaky)
