"""The gradient through the attention over hops, added after the walk back instead of before it.

What attention contributes to the gradient of hop k, s_k b_key, is one number a node times a vector that all nodes
share, and so it stays on its way back to hop 0:

    y_k = A^T y_(k+1) + alpha_k kappa_k * g  +  u_k b_key         u_k = A^T u_(k+1) + s_k
    a'_ij = <first part of y_k[i], Z_(k-1)[j]>  +  u_k[i] <b_key, Z_(k-1)[j]>        b_key' = sum over i of u_0 Z_0

The products <b_key, Z_k> are known from forward. So a walk back that recomputes the hops needs to do so only once: it
collects <g, kappa_k * Z_k> on its way, and the attention follows on (N, H) numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from agdn.ops.kernels import walk
from agdn.ops.kernels.hop import product_back
from agdn.ops.kernels.rows import KEY, QUERY
from agdn.ops.products import node_scores

if TYPE_CHECKING:
    from agdn.ops.walk import Walk
    from agdn.ops.walk_back import WalkBack


def can_follow(forward: Walk) -> bool:
    """Whether hops are linear in hop 0, alike for all channels, and hop 0 asks."""
    f = forward
    return f.attends and not f.norm and f.p == 0 and f.scale is None and f.query_hop == 0 and f.first_hop <= 1


def add_attention(back: WalkBack, z_grad: Tensor, sums: Tensor) -> None:
    """Complete ``z_grad``, the gradients of the edge weights and the ``sums``, all linear in what attention adds."""
    f = back.f
    u = _hop(back, f.hops)
    for k in range(f.hops - 1, -1, -1):
        u = _one_hop_back(back, k, u) + _hop(back, k)
    coefficient = torch.zeros(f.nodes, f.heads, 7, dtype=f.z.dtype)
    coefficient[:, :, KEY], coefficient[:, :, QUERY] = u, back.query_grad
    partial = np.zeros((len(f.rows) - 1, 4, f.heads, f.channels), dtype=f.z.numpy().dtype)
    assert f.key is not None
    assert f.query is not None
    key, query = f.key.contiguous().numpy(), f.query.contiguous().numpy()
    walk.own_back(
        f.rows, f.z.numpy(), f.z.numpy(), key * 0, key, query, coefficient.numpy(), z_grad.numpy(), False,
        partial, False, True, True, back.query_grad.numpy(), False,
    )  # fmt: skip
    total = torch.from_numpy(np.add.reduce(partial, axis=0))
    sums[f.first_hop, 2], sums[0, 3] = total[2], total[3]


def _hop(back: WalkBack, k: int) -> Tensor:
    """(N, H) gradient of hop k's logits; zero for a hop that is not in the sum."""
    if k < back.f.first_hop:
        return torch.zeros_like(back.query_grad)
    return back.logit_grad[:, :, k - back.f.first_hop]


def _one_hop_back(back: WalkBack, k: int, above: Tensor) -> Tensor:
    """A^T u_(k+1), the edges' gradient in the same gather."""
    f = back.f
    at = k if back.weight.size(0) > 1 else 0
    out = torch.empty_like(above)
    edge_grad = back.weight_grad[at].numpy() if back.want_weight else np.zeros((0, 1), f.z.numpy().dtype)
    product_back(
        back.chunks, back.route, back.indptr, back.indices, back.weight[at].numpy(),
        f._as_transition_sees(above.contiguous()), f._as_transition_sees(_key_product(back, k)),
        f._as_transition_sees(out), edge_grad, back.want_weight,
    )  # fmt: skip
    return out


def _key_product(back: WalkBack, k: int) -> Tensor:
    """(N, H) <b_key, Z_k>."""
    f = back.f
    assert f.key is not None
    if k < f.first_hop:
        return node_scores(f.z, f.key.unsqueeze(0))[0]
    level, _ = back._attention_level(k)
    return (back.logits[:, :, k - f.first_hop] - level).contiguous()
