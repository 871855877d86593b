"""Softmax over the edges that share a target, or a source.

    a_e = exp(s_e) / sum over the edges f of e's group of exp(s_f)

Scores are (E, H) in the graph's by-target order. Groups are ``indptr`` slices of the edges themselves (targets) or,
with ``order``, of the edges taken in that order (sources: ``graph.transposed``). Empty groups are fine.
"""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.backend import kernels_run_on, only_plain_operators
from agdn.ops.halo import halo_of, highest_of_sources, to_owners, with_halo


def softmax_over_targets(scores: Tensor, graph: Graph) -> Tensor:
    """(E, H) scores -> weights that sum to one over the incoming edges of every node."""
    if only_plain_operators():
        return _softmax(scores, graph.targets, graph.num_dst)
    weights: Tensor = segment_softmax(scores, graph.indptr, None)
    return weights


def softmax_over_sources(scores: Tensor, graph: Graph) -> Tensor:
    """(E, H) scores -> weights that sum to one over the outgoing edges of every node."""
    if halo_of(graph) is not None:
        return _softmax_over_sources_of_parts(scores, graph)
    if only_plain_operators():
        return _softmax(scores, graph.indices, graph.num_src)
    weights: Tensor = segment_softmax(scores, graph.transposed.indptr, graph.transposed.order)
    return weights


def sum_over_targets(values: Tensor, graph: Graph) -> Tensor:
    """(E, F) values in the graph's order -> (num_dst, F) sums over incoming edges."""
    return values.new_zeros(graph.num_dst, *values.shape[1:]).index_add(0, graph.targets, values)


def sum_over_sources(values: Tensor, graph: Graph) -> Tensor:
    """(E, F) values in the graph's order -> (num_src, F) sums over outgoing edges, of a part those of all parts."""
    sums = values.new_zeros(graph.num_src, *values.shape[1:]).index_add(0, graph.indices, values)
    return sums if halo_of(graph) is None else with_halo(to_owners(sums, graph), graph)


def _softmax_over_sources_of_parts(scores: Tensor, graph: Graph) -> Tensor:
    """A source's edges may lie in several parts: its largest score and its sum are those of all."""
    source = graph.indices.long()
    low = scores.detach().new_full((graph.num_src, scores.size(1)), -torch.inf)
    peak = low.scatter_reduce_(0, source[:, None].expand_as(scores), scores.detach(), "amax")
    weight = (scores - highest_of_sources(peak, graph)[source]).exp()
    return weight / sum_over_sources(weight, graph)[source]


@torch.library.custom_op("agdn::segment_softmax", mutates_args=())
def segment_softmax(scores: Tensor, indptr: Tensor, order: Tensor | None) -> Tensor:
    """Softmax of each column over each group of rows."""
    if kernels_run_on(scores):
        out = torch.empty_like(scores, memory_format=torch.contiguous_format)
        _run_kernel("softmax", indptr, order, scores.contiguous(), out)
        return out
    grouped = scores if order is None else scores[order]
    return _ungroup(_softmax(grouped, _group_of_row(indptr, scores.size(0)), indptr.numel() - 1), order)


@segment_softmax.register_fake
def _(scores: Tensor, indptr: Tensor, order: Tensor | None) -> Tensor:
    return torch.empty_like(scores)


@torch.library.custom_op("agdn::segment_softmax_backward", mutates_args=())
def segment_softmax_backward(grad: Tensor, softmax: Tensor, indptr: Tensor, order: Tensor | None) -> Tensor:
    """ds = a * (g - sum over the group of a * g)."""
    if kernels_run_on(grad):
        out = torch.empty_like(softmax)
        _run_kernel("softmax_back", indptr, order, grad.contiguous(), softmax, out)
        return out
    weighted = (grad * softmax) if order is None else (grad * softmax)[order]
    group = _group_of_row(indptr, grad.size(0))
    total = grad.new_zeros(indptr.numel() - 1, grad.size(1)).index_add_(0, group, weighted)
    return softmax * (grad - _ungroup(total[group], order))


@segment_softmax_backward.register_fake
def _(grad: Tensor, softmax: Tensor, indptr: Tensor, order: Tensor | None) -> Tensor:
    return torch.empty_like(softmax)


def _softmax(scores: Tensor, group: Tensor, num_groups: int) -> Tensor:
    """(E, H) scores and the (E,) group of each -> softmax over each group."""
    group = group.long()
    size = (num_groups, scores.size(1))
    peak = scores.new_full(size, -torch.inf).scatter_reduce(0, group[:, None].expand_as(scores), scores, "amax")
    weight = (scores - peak[group]).exp()
    total = scores.new_zeros(size).index_add(0, group, weight)
    return weight / total[group]


def _run_kernel(name: str, indptr: Tensor, order: Tensor | None, *arrays: Tensor) -> None:
    from agdn.ops.kernels import attention
    from agdn.ops.kernels.jit import chunks_of, use_threads

    use_threads()
    pointers = indptr.numpy()
    positions = (indptr[:0].int() if order is None else order).numpy()
    getattr(attention, name)(
        chunks_of(pointers), pointers, positions, order is not None, *(array.numpy() for array in arrays)
    )


def _group_of_row(indptr: Tensor, num_rows: int) -> Tensor:
    groups = torch.arange(indptr.numel() - 1, device=indptr.device)
    return groups.repeat_interleave(indptr.diff(), output_size=num_rows)


def _ungroup(values: Tensor, order: Tensor | None) -> Tensor:
    return values if order is None else torch.empty_like(values).index_copy_(0, order.long(), values)


def _save(ctx, inputs, output) -> None:
    _, indptr, order = inputs
    ctx.save_for_backward(output, indptr, order)


def _backward(ctx, grad):
    return segment_softmax_backward(grad, *ctx.saved_tensors), None, None


segment_softmax.register_autograd(_backward, setup_context=_save)
