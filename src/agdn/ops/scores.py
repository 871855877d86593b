"""Attention scores of edges from scores of their ends.

e_ij = LeakyReLU(source_j + target_i + edge_ij)
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.backend import kernels_run_on
from agdn.ops.halo import with_halo


def edge_scores(source: Tensor, target: Tensor | None, edge: Tensor | None, graph: Graph, slope: float) -> Tensor:
    """(num_src, H), (num_dst, H) or None, (E, H) in the graph's order or None -> (E, H) in the graph's order.

    Of a part of a graph the rows of ``source`` are its own.
    """
    source = with_halo(source, graph)
    if not kernels_run_on(source):
        scores = source[graph.indices]
        scores = scores if target is None else scores + target[graph.targets]
        return F.leaky_relu(scores if edge is None else scores + edge, slope)
    by_source = graph.transposed if torch.is_grad_enabled() else (None, None, None)
    out: Tensor = edge_scores_op(source, target, edge, graph.indptr, graph.indices, by_source[0], by_source[2], slope)
    return out


@torch.library.custom_op("agdn::edge_scores", mutates_args=())
def edge_scores_op(
    source: Tensor,
    target: Tensor | None,
    edge: Tensor | None,
    indptr: Tensor,
    indices: Tensor,
    by_source_indptr: Tensor | None,
    by_source_order: Tensor | None,
    slope: float,
) -> Tensor:
    from agdn.ops.kernels.attention import edge_scores as scored
    from agdn.ops.kernels.jit import chunks_of, use_threads

    use_threads()
    nothing = source.new_empty(0, source.size(1))
    out = source.new_empty(indices.size(0), source.size(1))
    ends = [nothing if part is None else part.contiguous() for part in (source, target, edge)]
    scored(
        chunks_of(indptr.numpy()), indptr.numpy(), indices.numpy(), *(end.numpy() for end in ends),
        target is not None, edge is not None, slope, out.numpy(),
    )  # fmt: skip
    return out


@edge_scores_op.register_fake
def _(source, target, edge, indptr, indices, by_source_indptr, by_source_order, slope):
    return source.new_empty(indices.size(0), source.size(1))


@torch.library.custom_op("agdn::edge_scores_backward", mutates_args=())
def edge_scores_backward_op(
    grad: Tensor, scores: Tensor, indptr: Tensor, by_source_indptr: Tensor, by_source_order: Tensor, slope: float
) -> tuple[Tensor, Tensor]:
    """Gradients of the source and target scores."""
    from agdn.ops.kernels.attention import edge_scores_back
    from agdn.ops.kernels.jit import chunks_of, use_threads

    use_threads()
    results = []
    for pointers, order in ((by_source_indptr, by_source_order), (indptr, None)):
        out = grad.new_empty(pointers.size(0) - 1, grad.size(1))
        positions = (by_source_order if order is None else order).numpy()
        edge_scores_back(
            chunks_of(pointers.numpy()), pointers.numpy(), positions, order is not None, grad.numpy(), scores.numpy(),
            slope, out.numpy(),
        )  # fmt: skip
        results.append(out)
    return results[0], results[1]


@edge_scores_backward_op.register_fake
def _(grad, scores, indptr, by_source_indptr, by_source_order, slope):
    heads = grad.size(1)
    return grad.new_empty(by_source_indptr.size(0) - 1, heads), grad.new_empty(indptr.size(0) - 1, heads)


def _save(ctx, inputs, output) -> None:
    *_, indptr, _, by_source_indptr, by_source_order, ctx.slope = inputs
    ctx.save_for_backward(output, indptr, by_source_indptr, by_source_order)


def _backward(ctx, grad):
    scores, *structure = ctx.saved_tensors
    source, target = edge_scores_backward_op(grad.contiguous(), scores, *structure, ctx.slope)
    edge = torch.where(scores < 0, grad * ctx.slope, grad) if ctx.needs_input_grad[2] else None
    return source, target if ctx.needs_input_grad[1] else None, edge, None, None, None, None, None


edge_scores_op.register_autograd(_backward, setup_context=_save)
