"""The inner product of the two rows of every node pair: a decoder without a layer of its own.

    out_p = <a_u, b_v>        a'_u = sum over pairs (u, v) of g_p b_v        b'_v = sum over pairs (u, v) of g_p a_u

No (P, C) tensor is made. Backward visits the pairs node by node, so that its sums have a fixed order.
"""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.ops.backend import kernels_run_on
from agdn.ops.pairs import check_pairs
from agdn.ops.subgraphs import grouped


def pair_dot(a: Tensor, b: Tensor, pairs: Tensor) -> Tensor:
    """(N, C) sources, (M, C) targets and (2, P) pairs of their rows -> (P,)."""
    check_pairs(pairs, (len(a), len(b)))
    if not kernels_run_on(a):
        return (a[pairs[0]] * b[pairs[1]]).sum(-1)
    out: Tensor = pair_dot_op(a.contiguous(), b.contiguous(), pairs.contiguous())
    return out


@torch.library.custom_op("agdn::pair_dot", mutates_args=())
def pair_dot_op(a: Tensor, b: Tensor, pairs: Tensor) -> Tensor:
    from agdn.ops.kernels.jit import row_chunks, use_threads
    from agdn.ops.kernels.pairs import dot

    use_threads()
    out = torch.empty(pairs.size(1), dtype=a.dtype)
    dot(row_chunks(pairs.size(1)), a.numpy(), b.numpy(), pairs.numpy(), out.numpy())
    return out


@pair_dot_op.register_fake
def _(a: Tensor, b: Tensor, pairs: Tensor) -> Tensor:
    return a.new_empty(pairs.size(1))


@torch.library.custom_op("agdn::pair_dot_backward", mutates_args=())
def pair_dot_backward_op(grad: Tensor, a: Tensor, b: Tensor, pairs: Tensor) -> tuple[Tensor, Tensor]:
    from agdn.ops.kernels.jit import chunks_of, use_threads
    from agdn.ops.kernels.pairs import dot_back

    use_threads()
    gradients = []
    for side, (mine, other) in enumerate(((a, b), (b, a))):
        indptr, visits = grouped(pairs[side], len(mine), torch.int64)
        out = torch.empty_like(mine)
        ends = pairs[1 - side].numpy()
        dot_back(chunks_of(indptr.numpy()), indptr.numpy(), visits.numpy(), ends, grad.numpy(), other.numpy(),
                 out.numpy())  # fmt: skip
        gradients.append(out)
    return gradients[0], gradients[1]


@pair_dot_backward_op.register_fake
def _(grad: Tensor, a: Tensor, b: Tensor, pairs: Tensor) -> tuple[Tensor, Tensor]:
    return torch.empty_like(a), torch.empty_like(b)


def _save(ctx, inputs, output) -> None:
    ctx.save_for_backward(*inputs)


def _backward(ctx, grad):
    return (*pair_dot_backward_op(grad.contiguous(), *ctx.saved_tensors), None)


pair_dot_op.register_autograd(_backward, setup_context=_save)
