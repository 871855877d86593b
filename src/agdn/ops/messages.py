"""Messages gathered channel by channel, as GENConv does.

    m_e = ReLU(x_j + W a_e + b) + eps                       a_e the attributes of edge e = (j, i), if it has any

    softmax   y_i = sum over e of softmax over e of (t m_e) * m_e        ``semi_softmax``: no gradient by its weights
    power     y_i = (mean over e of m_e^p)^(1/p)                         m within [1e-7, 10]
    max, mean, sum

No (E, C) tensor is made where kernels run. Without attributes a message is its source's alone, and softmax, power and
mean are hops of node rows: exp(t m - peak) m and exp(t m - peak) for a softmax, as long as none of them vanishes; a
wider spread of t m goes through the kernel, which takes each target's own peak.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.backend import kernels_run_on
from agdn.ops.normalise import normalised_adjacency
from agdn.ops.propagate import propagate
from agdn.ops.segment import sum_over_targets

Gathering = Literal["softmax", "semi_softmax", "power", "max", "mean", "sum"]
EPS = 1e-7
LOW, HIGH = 1e-7, 10.0
WIDEST = 60.0  # exp of minus this, squared, is still a normal float32


class EdgeTerm(NamedTuple):
    """W a_e + b of the edges.

    Attributes:
        attributes: (E, F) in the caller's order.
        weight: (C, F).
        bias: (C,).
    """

    attributes: Tensor
    weight: Tensor
    bias: Tensor


def gather_messages(x: Tensor, graph: Graph, how: Gathering, scale: Tensor, edges: EdgeTerm | None = None) -> Tensor:
    """(num_src, C) rows -> (num_dst, C), zero without incoming edges; ``scale`` is the t or p of softmax and power."""
    if not kernels_run_on(x):
        return _finished(_by_edge(x, graph, how, scale, edges), graph, how, scale)
    if edges is None and how not in ("max", "sum") and len(x):
        out = _by_node(x, graph, how, scale)
        if out is not None:
            return out
    return _finished(_by_kernel(x, graph, how, scale, edges), graph, how, scale)


def _finished(total: Tensor, graph: Graph, how: Gathering, scale: Tensor) -> Tensor:
    """What is left to do per node once the edges are summed."""
    if how not in ("power", "mean"):
        return total
    mean = total / graph.in_degree.to(total.dtype).clamp(min=1).unsqueeze(1)
    return mean if how == "mean" else _root(mean, graph, scale)


def _root(mean: Tensor, graph: Graph, scale: Tensor) -> Tensor:
    asked = (graph.in_degree > 0).unsqueeze(1)
    return torch.where(asked, torch.where(asked, mean, 1.0) ** (1 / scale), 0.0)


def _by_node(x: Tensor, graph: Graph, how: Gathering, scale: Tensor) -> Tensor | None:
    m = torch.relu(x) + EPS
    mean = normalised_adjacency(graph, "row", dtype=x.dtype)
    if graph.full is not graph and how in ("mean", "power"):  # the degrees are those of the full graph
        return None
    if how == "mean":
        return propagate(m.unsqueeze(1), mean, graph).squeeze(1)
    if how == "power":
        powers = m.clamp(LOW, HIGH) ** scale
        return _root(propagate(powers.unsqueeze(1), mean, graph).squeeze(1), graph, scale)
    s = scale * m
    low, peak = torch.aminmax(s.detach(), dim=0)
    if not float((peak - low).max()) < WIDEST:
        return None
    share = torch.exp(s - peak)
    share = share.detach() if how == "semi_softmax" else share
    both = propagate(torch.cat([share * m, share], 1).unsqueeze(1), mean, graph).squeeze(1)
    above, below = both.chunk(2, dim=1)
    return above / torch.where(below > 0, below, 1.0)


def _by_edge(x: Tensor, graph: Graph, how: Gathering, scale: Tensor, edges: EdgeTerm | None) -> Tensor:
    """On other devices, with torch's own operators."""
    z = x[graph.indices]
    if edges is not None:
        z = z + edges.attributes[graph.order].to(x.dtype) @ edges.weight.t() + edges.bias
    m = torch.relu(z) + EPS
    group, size = graph.targets.long()[:, None].expand_as(m), (graph.num_dst, x.size(1))
    if how == "power":
        return sum_over_targets(m.clamp(LOW, HIGH) ** scale, graph)
    if how in ("mean", "sum"):
        return sum_over_targets(m, graph)
    if how == "max":
        return m.new_zeros(size).scatter_reduce(0, group, m, "amax", include_self=False)
    s = scale * m
    peak = s.detach().new_zeros(size).scatter_reduce(0, group, s.detach(), "amax", include_self=False)
    share = torch.exp(s - peak.gather(0, group))
    share = share.detach() if how == "semi_softmax" else share
    below = sum_over_targets(share, graph)
    return sum_over_targets(share * m, graph) / torch.where(below > 0, below, 1.0)


def _by_kernel(x: Tensor, graph: Graph, how: Gathering, scale: Tensor, edges: EdgeTerm | None) -> Tensor:
    mode = {"softmax": 0, "semi_softmax": 1, "power": 2, "max": 3}.get(how, 4)
    if edges is None:
        nothing = x.new_zeros(1, 0), x.new_zeros(0, x.size(1)), x.new_zeros(x.size(1))
        attributes, weight, bias = nothing
        places = torch.zeros_like(graph.order)
    else:
        attributes, places = edges.attributes.to(x.dtype).contiguous(), graph.order
        weight, bias = edges.weight.t().contiguous(), edges.bias
    by_source = graph.transposed if torch.is_grad_enabled() else (None, None, None)
    structure = (graph.indptr, graph.indices, *by_source)
    out: Tensor = gather_op(x.contiguous(), attributes, weight, bias, scale.to(x.dtype), places, *structure, mode)[0]
    return out


@torch.library.custom_op("agdn::gather_messages", mutates_args=())
def gather_op(
    x: Tensor,
    attributes: Tensor,
    weight: Tensor,
    bias: Tensor,
    scale: Tensor,
    places: Tensor,
    indptr: Tensor,
    indices: Tensor,
    by_source_indptr: Tensor | None,
    by_source_indices: Tensor | None,
    by_source_order: Tensor | None,
    mode: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gathered rows; log sum exp of a softmax, and the winning edges of a maximum, for backward."""
    from agdn.ops.kernels import messages
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.jit import chunks_of, use_threads

    use_threads()
    rows, width = indptr.numel() - 1, x.size(1)
    out = empty((rows, width), x.dtype)
    kept = x.new_empty((rows, width) if mode <= messages.SEMI_SOFTMAX else (rows, 0))
    winners = torch.empty((rows, width) if mode == messages.MAX else (rows, 0), dtype=torch.int64)
    arrays = (array.numpy() for array in (indptr, indices, x, attributes, places, weight, bias))
    messages.gather(
        chunks_of(indptr.numpy()), *arrays, mode, _number(scale), x.new_tensor(EPS).numpy()[()],
        out.numpy(), kept.numpy(), winners.numpy(), work=len(indices) * width,
    )  # fmt: skip
    return out, kept, winners


@gather_op.register_fake
def _(x, attributes, weight, bias, scale, places, indptr, indices, by_indptr, by_indices, by_order, mode):
    rows, width = indptr.numel() - 1, x.size(1)
    kept = x.new_empty(rows, width if mode <= 1 else 0)
    return x.new_empty(rows, width), kept, torch.empty(rows, width if mode == 3 else 0, dtype=torch.int64)


@torch.library.custom_op("agdn::gather_messages_backward", mutates_args=())
def gather_backward_op(
    grad: Tensor,
    x: Tensor,
    attributes: Tensor,
    weight: Tensor,
    bias: Tensor,
    scale: Tensor,
    places: Tensor,
    indptr: Tensor,
    indices: Tensor,
    order: Tensor,
    out: Tensor,
    kept: Tensor,
    winners: Tensor,
    mode: int,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Gradients of the rows, the edge map, the bias and the scale."""
    from agdn.ops.kernels import messages
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.jit import chunks_of, use_threads

    use_threads()
    chunks, x_grad = chunks_of(indptr.numpy()), empty(tuple(x.shape), x.dtype)
    sums = x.new_zeros(len(chunks) - 1, weight.size(0) + 1, x.size(1))
    scale_sums = x.new_zeros(len(chunks) - 1)
    arrays = (array.numpy() for array in (indptr, indices, order, x, attributes, places, weight, bias))
    messages.gather_back(
        chunks, *arrays, mode, _number(scale), x.new_tensor(EPS).numpy()[()], grad.numpy(), out.numpy(), kept.numpy(),
        winners.numpy(), x_grad.numpy(), sums.numpy(), scale_sums.numpy(), work=len(indices) * x.size(1),
    )  # fmt: skip
    total = sums.sum(0)
    return x_grad, total[:-1].contiguous(), total[-1].clone(), scale_sums.sum()


@gather_backward_op.register_fake
def _(grad, x, attributes, weight, bias, scale, *rest):
    return tuple(torch.empty_like(tensor) for tensor in (x, weight, bias, scale))


def _number(scale: Tensor):
    return scale.detach().numpy()[()]


def _save(ctx, inputs, output) -> None:
    *tensors, _, _, by_source_indptr, by_source_indices, order, ctx.mode = inputs
    ctx.mark_non_differentiable(*output[1:])
    ctx.save_for_backward(*tensors, by_source_indptr, by_source_indices, order, *output)


def _backward(ctx, grad, *unused):
    x, attributes, *rest = ctx.saved_tensors
    found = gather_backward_op(grad.contiguous(), x, attributes, *rest, ctx.mode)
    x_grad, weight_grad, bias_grad, scale_grad = found
    return x_grad, None, weight_grad, bias_grad, scale_grad, *[None] * 7


gather_op.register_autograd(_backward, setup_context=_save)
