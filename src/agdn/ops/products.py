"""Scores of nodes: the products of their rows with vectors that all nodes share.

s_p[i, h] = <z[i, h], q_p[h]>
dz[i, h] = sum over p of g_p[i, h] q_p[h]        dq_p[h] = sum over i of g_p[i, h] z[i, h]
"""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.ops.backend import kernels_run_on


def node_scores(z: Tensor, vectors: Tensor) -> Tensor:
    """(N, H, D) rows and (P, H, D) vectors -> (P, N, H), all in one pass over the rows."""
    if not kernels_run_on(z):
        return torch.einsum("nhd,phd->pnh", z, vectors)
    out: Tensor = node_scores_op(z.contiguous(), vectors.to(z.dtype).contiguous())
    return out


@torch.library.custom_op("agdn::node_scores", mutates_args=())
def node_scores_op(z: Tensor, vectors: Tensor) -> Tensor:
    from agdn.ops.kernels.jit import row_chunks, use_threads
    from agdn.ops.kernels.products import dots

    use_threads()
    out = z.new_empty(vectors.size(0), z.size(0), z.size(1))
    dots(row_chunks(len(z)), z.numpy(), vectors.numpy(), out.numpy())
    return out


@node_scores_op.register_fake
def _(z: Tensor, vectors: Tensor) -> Tensor:
    return z.new_empty(vectors.size(0), z.size(0), z.size(1))


@torch.library.custom_op("agdn::node_scores_backward", mutates_args=())
def node_scores_backward_op(grad: Tensor, z: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor]:
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.jit import row_chunks, use_threads
    from agdn.ops.kernels.products import dots_back

    use_threads()
    chunks = row_chunks(len(z))
    z_grad, sums = empty(tuple(z.shape), z.dtype), z.new_zeros(len(chunks) - 1, *vectors.shape)
    dots_back(chunks, grad.numpy(), z.numpy(), vectors.numpy(), z_grad.numpy(), sums.numpy())
    return z_grad, sums.sum(0)


@node_scores_backward_op.register_fake
def _(grad: Tensor, z: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor]:
    return torch.empty_like(z), torch.empty_like(vectors)


def _save(ctx, inputs, output) -> None:
    ctx.save_for_backward(*inputs)


def _backward(ctx, grad):
    return node_scores_backward_op(grad.contiguous(), *ctx.saved_tensors)


node_scores_op.register_autograd(_backward, setup_context=_save)
