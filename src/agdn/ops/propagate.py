"""One hop: every node sums its neighbours' rows, weighted by the transition.

    y_i = sum over edges j -> i of a_ij x_j            for each head
    dx_j = sum over edges j -> i of a_ij g_i           da_ij = <g_i, x_j>

No (E, H, D) tensor is built: sparse CSR products head by head where the device has them, bounded chunks of edges
elsewhere.
"""

from __future__ import annotations

import warnings
from collections.abc import MutableMapping

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.weak import WeakIdKeyDictionary

from agdn.graph import Graph
from agdn.ops.backend import kernels_run_on, only_plain_operators
from agdn.ops.halo import with_halo
from agdn.ops.route import route

CHUNK_ELEMENTS = 1 << 22

_sorted: MutableMapping[Tensor, tuple[Tensor, int, Tensor]] = WeakIdKeyDictionary()


def propagate(x: Tensor, weight: Tensor, graph: Graph) -> Tensor:
    """Apply the transition once.

    Args:
        x: ``(num_src, H, D)`` rows to gather; of a part of a graph its own, the halo's are asked for.
        weight: ``(E, H)`` transition weights in the graph's order, or ``(E, 1)`` for all heads alike.
        graph: Where to gather from.

    Returns:
        ``(num_dst, H, D)``; zero for a node without incoming edges.
    """
    if weight.size(1) != x.size(1):
        return propagate(x.flatten(1).unsqueeze(1), weight, graph).view(-1, *x.shape[1:])
    x = with_halo(x, graph)
    if only_plain_operators():
        return _summed_bags(x, weight, graph)
    by_source = graph.transposed if torch.is_grad_enabled() else (None, None, None)
    visits = route(graph, x) if kernels_run_on(x) else None
    fixed = None if weight.requires_grad or by_source[2] is None else in_source_order(weight, by_source[2])
    out: Tensor = spmm(x, weight, graph.indptr, graph.indices, visits, *by_source, fixed)
    return out


def in_source_order(weight: Tensor, order: Tensor) -> Tensor:
    """(E, H) fixed weights by source; what does not change from call to call is sorted once."""
    if torch.compiler.is_compiling() or weight.is_inference():
        return _permuted(weight, order)
    known = _sorted.get(weight)
    if known is not None and known[0] is order and known[1] == weight._version:
        return known[2]
    by_source = _permuted(weight, order)
    _sorted[weight] = (order, weight._version, by_source)
    return by_source


def _permuted(weight: Tensor, order: Tensor) -> Tensor:
    """weight[order]; torch takes rows of a single number a fifth as fast as numbers."""
    return weight.flatten().index_select(0, order).unsqueeze(1) if weight.size(1) == 1 else weight[order]


def _summed_bags(x: Tensor, weight: Tensor, graph: Graph) -> Tensor:
    """The same by an operator of torch's own that builds no (E, H, D) tensor either: a target is a bag of sources."""
    indices = graph.indices.long()
    heads = [
        F.embedding_bag(
            indices,
            x[:, head],
            graph.indptr,
            mode="sum",
            per_sample_weights=weight[:, head].contiguous(),
            include_last_offset=True,
        )
        for head in range(x.size(1))
    ]
    return torch.stack(heads, dim=1)


@torch.library.custom_op("agdn::spmm", mutates_args=())
def spmm(
    x: Tensor,
    weight: Tensor,
    indptr: Tensor,
    indices: Tensor,
    visits: Tensor | None,
    by_source_indptr: Tensor | None,
    by_source_indices: Tensor | None,
    by_source_order: Tensor | None,
    fixed: Tensor | None,
) -> Tensor:
    """Sparse (num_dst, num_src) matrix times (num_src, H, D), a matrix a head; the by-source side is for backward.

    ``fixed`` holds the weights by source where they need no gradient.
    """
    if kernels_run_on(x):
        return _compiled_product(x, weight, indptr, indices, visits)
    return _product(x, weight, indptr, indices)


@spmm.register_fake
def _(x, weight, indptr, indices, visits, by_source_indptr, by_source_indices, by_source_order, fixed):
    return x.new_empty(indptr.size(0) - 1, x.size(1), x.size(2))


@torch.library.custom_op("agdn::spmm_backward", mutates_args=())
def spmm_backward(
    grad: Tensor,
    x: Tensor,
    weight: Tensor,
    visits: Tensor | None,
    by_source_indptr: Tensor,
    by_source_indices: Tensor,
    by_source_order: Tensor,
) -> tuple[Tensor, Tensor]:
    """Gradients of the rows and of the weights."""
    if kernels_run_on(x):
        by_source = by_source_indptr, by_source_indices, by_source_order
        return _compiled_backward(grad, x.contiguous(), weight, visits, *by_source)
    grad_x = _product(grad, weight[by_source_order], by_source_indptr, by_source_indices)
    dots = _edge_dots(grad, x, by_source_indptr, by_source_indices)
    return grad_x, torch.empty_like(weight).index_copy_(0, by_source_order.long(), dots)


@spmm_backward.register_fake
def _(grad, x, weight, visits, by_source_indptr, by_source_indices, by_source_order):
    return torch.empty_like(x), torch.empty_like(weight)


@torch.library.custom_op("agdn::spmm_transposed", mutates_args=())
def spmm_transposed(
    grad: Tensor, fixed: Tensor, visits: Tensor | None, by_source_indptr: Tensor, by_source_indices: Tensor
) -> Tensor:
    """Gradient of the rows alone."""
    if kernels_run_on(grad):
        return _compiled_product(grad, fixed, by_source_indptr, by_source_indices, visits)
    return _product(grad, fixed, by_source_indptr, by_source_indices)


@spmm_transposed.register_fake
def _(grad, fixed, visits, by_source_indptr, by_source_indices):
    return grad.new_empty(by_source_indptr.size(0) - 1, grad.size(1), grad.size(2))


def _compiled_product(x: Tensor, weight: Tensor, indptr: Tensor, indices: Tensor, visits: Tensor | None) -> Tensor:
    from agdn.ops.cache_blocks import product
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.jit import along, use_threads

    use_threads()
    out = empty((indptr.numel() - 1, x.size(1), x.size(2)), x.dtype)
    arrays = (indptr, indices, weight.contiguous(), x.contiguous(), out)
    product(*along(visits, indptr), *(array.numpy() for array in arrays))
    return out


def _compiled_backward(
    grad: Tensor, x: Tensor, weight: Tensor, visits: Tensor | None, indptr: Tensor, indices: Tensor, order: Tensor
) -> tuple[Tensor, Tensor]:
    from agdn.ops.cache_blocks import product_back
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.edges import permuted
    from agdn.ops.kernels.jit import along, use_threads

    use_threads()
    by_source, dots = torch.empty_like(weight), torch.zeros_like(weight)
    permuted(weight.contiguous().numpy(), order.numpy(), by_source.numpy(), False)
    grad_x, grad_weight = empty(tuple(x.shape), x.dtype), torch.empty_like(weight)
    product_back(
        *along(visits, indptr), indptr.numpy(), indices.numpy(), by_source.numpy(), grad.numpy(), x.numpy(),
        grad_x.numpy(), dots.numpy(), True,
    )  # fmt: skip
    permuted(dots.numpy(), order.numpy(), grad_weight.numpy(), True)
    return grad_x, grad_weight


def _product(x: Tensor, weight: Tensor, indptr: Tensor, indices: Tensor) -> Tensor:
    num_rows = indptr.numel() - 1
    if _has_csr_product(x):
        out = x.new_empty(num_rows, *x.shape[1:])
        columns = indices.long()
        for head in range(x.size(1)):
            out[:, head] = _csr(indptr, columns, weight[:, head], (num_rows, x.size(0))) @ x[:, head]
        return out
    out = x.new_zeros(num_rows, *x.shape[1:])
    for edges, row in _chunks(indptr, x):
        out.index_add_(0, row, x[indices[edges]] * weight[edges, :, None])
    return out


def _csr(indptr: Tensor, columns: Tensor, values: Tensor, size: tuple[int, int]) -> Tensor:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(indptr, columns, values, size, check_invariants=False)


def _edge_dots(row_values: Tensor, group_values: Tensor, indptr: Tensor, indices: Tensor) -> Tensor:
    """<row_values[indices[e]], group_values[group of e]> for every edge and head."""
    dots = row_values.new_empty(indices.numel(), row_values.size(1))
    for edges, group in _chunks(indptr, row_values):
        dots[edges] = (row_values[indices[edges]] * group_values[group]).sum(-1)
    return dots


def _chunks(indptr: Tensor, rows: Tensor):
    num_edges = int(indptr[-1])
    step = max(1, CHUNK_ELEMENTS // max(1, rows.size(1) * rows.size(2)))
    groups = torch.arange(indptr.numel() - 1, device=indptr.device).repeat_interleave(indptr.diff())
    for start in range(0, num_edges, step):
        edges = slice(start, min(start + step, num_edges))
        yield edges, groups[edges]


def _has_csr_product(x: Tensor) -> bool:
    return x.device.type in ("cpu", "cuda") and x.dtype in (torch.float32, torch.float64)


def _save(ctx, inputs, output) -> None:
    x, weight, _, _, visits, *by_source, fixed = inputs
    ctx.fixed = fixed is not None
    ctx.save_for_backward(*((fixed,) if ctx.fixed else (x, weight)), visits, *by_source)


def _backward(ctx, grad):
    if ctx.fixed:
        fixed, visits, indptr, indices, _ = ctx.saved_tensors
        grad_x = spmm_transposed(grad.contiguous(), fixed, visits, indptr, indices)
        return grad_x, *[None] * 8
    grad_x, grad_weight = spmm_backward(grad.contiguous(), *ctx.saved_tensors)
    return grad_x, grad_weight, *[None] * 7


spmm.register_autograd(_backward, setup_context=_save)
