"""Dropout of channels and of edges.

On the compiled path what is kept is a hash of a seed, the row's id and the column. The seed of a call comes from
torch's generator, so ``manual_seed`` and a restored generator state repeat it; the ids may be global, so that a part of
a graph drops what the whole graph would. It runs on all threads and stores no mask.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.backend import kernels_run_on
from agdn.ops.halo import halo_of
from agdn.ops.hashing import hash64, kept_entries
from agdn.ops.sparse_rows import is_sparse, places_of, with_values


def dropout(x: Tensor, p: float, training: bool, ids: Tensor | None = None) -> Tensor:
    """Zero each entry with probability ``p`` and scale the rest by 1 / (1 - p), in training.

    ``ids`` (rows of x,) are the rows' global ids; without them a row's position is its id.
    """
    if p == 0 or not training:
        return x
    if is_sparse(x):
        return with_values(x, dropout(x.values().unsqueeze(1), p, training, places_of(x)).squeeze(1))
    if not kernels_run_on(x) or x.dim() < 2:
        return F.dropout(x, p) if ids is None else x * kept_entries(x, p, draw_seed(), ids)
    out: Tensor = dropout_op(x.contiguous().flatten(1), p, draw_seed(), ids)
    return out.view(x.shape)


def relu_dropout(x: Tensor, p: float, training: bool, ids: Tensor | None = None) -> Tensor:
    """``dropout(relu(x))`` in one pass; x is (rows, channels)."""
    if p == 0 or not training:
        return torch.relu(x)
    if not kernels_run_on(x) or x.dim() != 2:
        return dropout(torch.relu(x), p, training, ids)
    out: Tensor = relu_dropout_op(x.contiguous(), p, draw_seed(), ids)
    return out


def drop_nodes(x: Tensor, p: float, training: bool, ids: Tensor | None = None) -> Tensor:
    """DropNode (Feng et al. 2020): zero each row with probability ``p``, scale the rest by 1 / (1 - p), in training."""
    if p == 0 or not training:
        return x
    kept = dropout(torch.ones(x.size(0), 1, dtype=x.dtype, device=x.device), p, training, ids)
    if is_sparse(x):
        return with_values(x, x.values() * kept.squeeze(1).repeat_interleave(x.crow_indices().diff()))
    return x * kept


def drop_edges(graph: Graph, p: float, training: bool, ids: Tensor | None = None) -> Graph:
    """Keep exactly E - floor(p E) edges, drawn without replacement, in training.

    ``ids`` (E,) are the edges' global ids in the caller's order; without them an edge's position is its id. Of a part
    of a graph it is the whole that keeps so many.
    """
    if not training or p == 0:
        return graph
    halo = halo_of(graph)
    if halo is not None:
        own: Tensor = graph.full.__dict__["edges"][graph.order]
        total = int(halo.sum(torch.tensor(graph.num_edges)))
        return graph.keep(halo.smallest(edge_keys_op(own, draw_seed()), total - int(p * total)))
    kept = graph.num_edges - int(p * graph.num_edges)
    keys: Tensor = edge_keys_op(graph.order.long() if ids is None else ids[graph.order], draw_seed())
    mask = torch.zeros(graph.num_edges, dtype=torch.bool, device=graph.device)
    mask[keys.topk(kept, largest=False, sorted=False).indices] = True
    return graph.keep(mask)


def draw_seed() -> Tensor:
    """A fresh seed from torch's generator."""
    return torch.empty((), dtype=torch.int64).random_(2**62)


@torch.library.custom_op("agdn::dropout", mutates_args=())
def dropout_op(x: Tensor, p: float, seed: Tensor, ids: Tensor | None) -> Tensor:
    """x (rows, W) with entries dropped; its own backward, applied to the gradient with the same seed."""
    from agdn.ops.kernels.dropout import drop, drop_numbers
    from agdn.ops.kernels.jit import row_chunks, use_threads

    use_threads()
    out = torch.empty_like(x)
    names = (torch.zeros(1, dtype=torch.int64) if ids is None else ids.long()).numpy()
    if x.size(1) == 1:
        drop_numbers(x.view(-1).numpy(), names, ids is not None, int(seed), p, out.view(-1).numpy())
        return out
    rows = x.unsqueeze(1).numpy()
    drop(row_chunks(len(x)), rows, names, ids is not None, int(seed), p, 0, x.size(1), out.unsqueeze(1).numpy())
    return out


@dropout_op.register_fake
def _(x: Tensor, p: float, seed: Tensor, ids: Tensor | None) -> Tensor:
    return torch.empty_like(x)


def _save_dropout(ctx, inputs, output) -> None:
    _, ctx.p, seed, ids = inputs
    ctx.save_for_backward(seed, ids)


def _dropout_backward(ctx, grad):
    return dropout_op(grad.contiguous(), ctx.p, *ctx.saved_tensors), None, None, None


dropout_op.register_autograd(_dropout_backward, setup_context=_save_dropout)


@torch.library.custom_op("agdn::relu_dropout", mutates_args=())
def relu_dropout_op(x: Tensor, p: float, seed: Tensor, ids: Tensor | None) -> Tensor:
    """relu(x) (rows, W) with entries dropped."""
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.dropout import relu_drop
    from agdn.ops.kernels.jit import row_chunks, use_threads

    use_threads()
    out = empty(tuple(x.shape), x.dtype)
    names = (torch.zeros(1, dtype=torch.int64) if ids is None else ids.long()).numpy()
    relu_drop(row_chunks(len(x)), x.numpy(), names, ids is not None, int(seed), p, out.numpy())
    return out


@relu_dropout_op.register_fake
def _(x: Tensor, p: float, seed: Tensor, ids: Tensor | None) -> Tensor:
    return torch.empty_like(x)


@torch.library.custom_op("agdn::relu_dropout_backward", mutates_args=())
def relu_dropout_backward_op(grad: Tensor, out: Tensor, p: float) -> Tensor:
    """The gradient passes, scaled, where something came out."""
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.dropout import relu_drop_back
    from agdn.ops.kernels.jit import row_chunks, use_threads

    use_threads()
    result = empty(tuple(grad.shape), grad.dtype)
    relu_drop_back(row_chunks(len(grad)), grad.numpy(), out.numpy(), p, result.numpy())
    return result


@relu_dropout_backward_op.register_fake
def _(grad: Tensor, out: Tensor, p: float) -> Tensor:
    return torch.empty_like(grad)


def _save_relu_dropout(ctx, inputs, output) -> None:
    ctx.p = inputs[1]
    ctx.save_for_backward(output)


def _relu_dropout_backward(ctx, grad):
    return relu_dropout_backward_op(grad.contiguous(), *ctx.saved_tensors, ctx.p), None, None, None


relu_dropout_op.register_autograd(_relu_dropout_backward, setup_context=_save_relu_dropout)


@torch.library.custom_op("agdn::edge_keys", mutates_args=())
def edge_keys_op(ids: Tensor, seed: Tensor) -> Tensor:
    """(E,) a random int64 for every edge id."""
    if not kernels_run_on(torch.empty(0)) or ids.device.type != "cpu":
        return hash64(int(seed), ids)
    from agdn.ops.kernels.dropout import edge_keys
    from agdn.ops.kernels.jit import use_threads

    use_threads()
    keys = torch.empty_like(ids)
    edge_keys(ids.numpy(), True, int(seed), keys.numpy().view("uint64"))
    return keys


@edge_keys_op.register_fake
def _(ids: Tensor, seed: Tensor) -> Tensor:
    return torch.empty_like(ids)
