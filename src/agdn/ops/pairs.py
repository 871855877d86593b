"""The product of the two rows of every node pair, for link decoding.

    out_p = h_u * h_v
    h'_n = sum over pairs (n, v) of g_p * h_v + sum over pairs (u, n) of g_p * h_u

Backward visits the pairs node by node: every row of the gradient is summed by one thread, in a fixed order.
"""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.graph import INT32_LIMIT
from agdn.ops.backend import kernels_run_on


def pair_product(h: Tensor, pairs: Tensor) -> Tensor:
    """(N, C) node states and (2, P) node pairs -> (P, C)."""
    check_pairs(pairs, (len(h), len(h)))
    if not kernels_run_on(h):
        return h[pairs[0]] * h[pairs[1]]
    out: Tensor = pair_product_op(h.contiguous(), pairs.contiguous())
    return out


def check_pairs(pairs: Tensor, nodes: tuple[int, int]) -> None:
    """Pairs of rows, the sources below the first number of ``nodes`` and the targets below the second."""
    if pairs.dim() != 2 or pairs.size(0) != 2:
        raise ValueError(f"pairs must have shape (2, P), got {tuple(pairs.shape)}")
    if torch.compiler.is_compiling() or not pairs.numel() or pairs.device.type != "cpu":
        return  # other devices check their indices themselves
    for ends, count in zip(pairs, nodes, strict=True):
        if not 0 <= int(ends.min()) <= int(ends.max()) < count:
            raise ValueError(f"pairs name nodes {int(pairs.min())}..{int(pairs.max())}, but there are {count} nodes")


@torch.library.custom_op("agdn::pair_product", mutates_args=())
def pair_product_op(h: Tensor, pairs: Tensor) -> Tensor:
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.jit import row_chunks, use_threads
    from agdn.ops.kernels.pairs import product

    use_threads()
    out = empty((pairs.size(1), h.size(1)), h.dtype)
    product(row_chunks(pairs.size(1)), h.numpy(), pairs.numpy(), out.numpy())
    return out


@pair_product_op.register_fake
def _(h: Tensor, pairs: Tensor) -> Tensor:
    return h.new_empty(pairs.size(1), h.size(1))


@torch.library.custom_op("agdn::pair_product_backward", mutates_args=())
def pair_product_backward_op(grad: Tensor, h: Tensor, pairs: Tensor) -> Tensor:
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.jit import chunks_of, use_threads
    from agdn.ops.kernels.pairs import product_back, visits_by_node

    use_threads()
    dtype = torch.int32 if 2 * pairs.size(1) <= INT32_LIMIT else torch.int64
    indptr = torch.zeros(len(h) + 1, dtype=torch.int64)
    visits = torch.empty(2 * pairs.size(1), dtype=dtype)
    visits_by_node(pairs.numpy(), indptr.numpy(), visits.numpy())
    out = empty(tuple(h.shape), h.dtype)
    product_back(chunks_of(indptr.numpy()), indptr.numpy(), visits.numpy(), pairs.numpy(), grad.numpy(), h.numpy(),
                 out.numpy())  # fmt: skip
    return out


@pair_product_backward_op.register_fake
def _(grad: Tensor, h: Tensor, pairs: Tensor) -> Tensor:
    return torch.empty_like(h)


def _save(ctx, inputs, output) -> None:
    ctx.save_for_backward(*inputs)


def _backward(ctx, grad):
    return pair_product_backward_op(grad.contiguous(), *ctx.saved_tensors), None


pair_product_op.register_autograd(_backward, setup_context=_save)
