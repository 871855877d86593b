"""Attributes of edges in attention, without a row of them for every head.

    scores  s_eh = <u_ih, x_e>            sums  y_ih = sum over the edges e of i of w_eh x_e

Each is the other's gradient. The attributes themselves are data and get none.
"""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.backend import kernels_run_on
from agdn.ops.segment import sum_over_targets


def attribute_scores(rows: Tensor, attributes: Tensor, graph: Graph) -> Tensor:
    """(num_dst, H, F) rows, (E, F) attributes in the caller's order -> (E, H) in the graph's order."""
    attributes = attributes.to(rows.dtype)
    if not kernels_run_on(rows):
        own = attributes[graph.order]
        return torch.stack([(rows[graph.targets, h] * own).sum(-1) for h in range(rows.size(1))], 1)
    out: Tensor = scores_op(rows.contiguous(), attributes.contiguous(), graph.indptr, graph.order)
    return out


def attribute_sums(weight: Tensor, attributes: Tensor, graph: Graph) -> Tensor:
    """(E, H) weights in the graph's order, (E, F) attributes in the caller's -> (num_dst, H, F)."""
    attributes = attributes.to(weight.dtype)
    if not kernels_run_on(weight):
        own = attributes[graph.order]
        heads = range(weight.size(1))
        return torch.stack([sum_over_targets(weight[:, h : h + 1] * own, graph) for h in heads], 1)
    out: Tensor = sums_op(weight.contiguous(), attributes.contiguous(), graph.indptr, graph.order)
    return out


@torch.library.custom_op("agdn::attribute_scores", mutates_args=())
def scores_op(rows: Tensor, attributes: Tensor, indptr: Tensor, order: Tensor) -> Tensor:
    out = rows.new_empty(order.size(0), rows.size(1))
    _run("attribute_dot", indptr, order, rows, attributes, out)
    return out


@scores_op.register_fake
def _(rows, attributes, indptr, order):
    return rows.new_empty(order.size(0), rows.size(1))


@torch.library.custom_op("agdn::attribute_sums", mutates_args=())
def sums_op(weight: Tensor, attributes: Tensor, indptr: Tensor, order: Tensor) -> Tensor:
    out = weight.new_empty(indptr.size(0) - 1, weight.size(1), attributes.size(1))
    _run("attribute_sum", indptr, order, weight, attributes, out)
    return out


@sums_op.register_fake
def _(weight, attributes, indptr, order):
    return weight.new_empty(indptr.size(0) - 1, weight.size(1), attributes.size(1))


def _run(name: str, indptr: Tensor, order: Tensor, *arrays: Tensor) -> None:
    from agdn.ops.kernels import edge_rows
    from agdn.ops.kernels.jit import chunks_of, use_threads

    use_threads()
    pointers = indptr.numpy()
    getattr(edge_rows, name)(chunks_of(pointers), pointers, order.numpy(), *(array.numpy() for array in arrays))


def _save(ctx, inputs, output) -> None:
    ctx.save_for_backward(*inputs[1:])


def _scores_backward(ctx, grad):
    return sums_op(grad.contiguous(), *ctx.saved_tensors), None, None, None


def _sums_backward(ctx, grad):
    return scores_op(grad.contiguous(), *ctx.saved_tensors), None, None, None


scores_op.register_autograd(_scores_backward, setup_context=_save)
sums_op.register_autograd(_sums_backward, setup_context=_save)
