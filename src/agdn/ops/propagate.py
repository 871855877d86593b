"""One hop: every node sums its neighbours' rows, weighted by the transition.

    y_i = sum over edges j -> i of a_ij x_j            for each head
    dx_j = sum over edges j -> i of a_ij g_i           da_ij = <g_i, x_j>

No (E, H, D) tensor is built: sparse CSR products head by head where the device has them, bounded chunks of edges
elsewhere.
"""

from __future__ import annotations

import warnings

import torch
import torch.nn.functional as F
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.backend import kernels_run_on, only_plain_operators
from agdn.ops.route import route

CHUNK_ELEMENTS = 1 << 22


def propagate(x: Tensor, weight: Tensor, graph: Graph) -> Tensor:
    """Apply the transition once.

    Args:
        x: ``(num_src, H, D)`` rows to gather.
        weight: ``(E, H)`` transition weights in the graph's order, or ``(E, 1)`` for all heads alike.
        graph: Where to gather from.

    Returns:
        ``(num_dst, H, D)``; zero for a node without incoming edges.
    """
    if weight.size(1) != x.size(1):
        return propagate(x.flatten(1).unsqueeze(1), weight, graph).view(-1, *x.shape[1:])
    if only_plain_operators():
        return _summed_bags(x, weight, graph)
    by_source = graph.transposed if torch.is_grad_enabled() else (None, None, None)
    visits = route(graph, x) if kernels_run_on(x) else None
    out: Tensor = spmm(x, weight, graph.indptr, graph.indices, visits, *by_source)
    return out


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
) -> Tensor:
    """Sparse (num_dst, num_src) matrix times (num_src, H, D), a matrix a head; the by-source side is for backward."""
    if kernels_run_on(x):
        from agdn.ops.kernels.buffers import empty
        from agdn.ops.kernels.hop import product
        from agdn.ops.kernels.jit import along, use_threads

        use_threads()
        out = empty((indptr.numel() - 1, x.size(1), x.size(2)), x.dtype)
        arrays = (indptr, indices, weight.contiguous(), x.contiguous(), out)
        product(*along(visits, indptr), *(array.numpy() for array in arrays))
        return out
    return _product(x, weight, indptr, indices)


@spmm.register_fake
def _(x, weight, indptr, indices, visits, by_source_indptr, by_source_indices, by_source_order):
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
    """Gradients of the rows and of the edge weights."""
    if kernels_run_on(x):
        by_source = by_source_indptr, by_source_indices, by_source_order
        return _compiled_backward(grad, x.contiguous(), weight, visits, *by_source)
    grad_x = _product(grad, weight[by_source_order], by_source_indptr, by_source_indices)
    dots = _edge_dots(grad, x, by_source_indptr, by_source_indices)
    return grad_x, torch.empty_like(weight).index_copy_(0, by_source_order.long(), dots)


@spmm_backward.register_fake
def _(grad, x, weight, visits, by_source_indptr, by_source_indices, by_source_order):
    return torch.empty_like(x), torch.empty_like(weight)


def _compiled_backward(
    grad: Tensor, x: Tensor, weight: Tensor, visits: Tensor | None, indptr: Tensor, indices: Tensor, order: Tensor
) -> tuple[Tensor, Tensor]:
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.edges import permuted
    from agdn.ops.kernels.hop import product_back
    from agdn.ops.kernels.jit import along, use_threads

    use_threads()
    by_source, dots = torch.empty_like(weight), torch.zeros_like(weight)
    permuted(weight.contiguous().numpy(), order.numpy(), by_source.numpy(), False)
    grad_x, grad_weight = empty(tuple(x.shape), x.dtype), torch.empty_like(weight)
    arrays = (indptr, indices, by_source, grad, x, grad_x, dots)
    product_back(*along(visits, indptr), *(array.numpy() for array in arrays), True)
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
    x, weight, _, _, *structure = inputs
    ctx.save_for_backward(x, weight, *structure)


def _backward(ctx, grad):
    grad_x, grad_weight = spmm_backward(grad.contiguous(), *ctx.saved_tensors)
    return grad_x, grad_weight, *[None] * 6


spmm.register_autograd(_backward, setup_context=_save)
