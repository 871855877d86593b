"""Random walks along the edges, from source to target: uniform, by edge weight, or biased as in node2vec.

From t to v, the next node x is drawn with probability in proportion to w_vx times

    1/p if x = t,    1 if t has an edge to x,    1/q otherwise.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.backend import require_kernels
from agdn.ops.checks import check_seed


def random_walks(
    graph: Graph,
    starts: Tensor,
    length: int,
    *,
    p: float = 1.0,
    q: float = 1.0,
    edge_weight: Tensor | None = None,
    seed: int,
) -> Tensor:
    """A walk of ``length`` steps from each of ``starts``: (len(starts), length + 1) node ids, int32 where they fit.

    A walk that reaches a node without out-edges stays there. Walk i depends on the graph, its start, the seed and i
    alone: not on the number of threads, nor on the other starts.

    Args:
        starts: (W,) node ids.
        p: Return parameter: below 1 walks tend to go back, above 1 they tend not to.
        q: In-out parameter: below 1 walks tend to go away, above 1 they stay near where they came from.
        edge_weight: (E,) in the caller's edge order, not negative; an edge of weight 0 is never taken.
        seed: Fixes the walks.
    """
    require_kernels("random walks")
    _check(graph, starts, length, p, q, seed)
    from agdn.ops.kernels.jit import row_chunks, use_threads
    from agdn.ops.kernels.walks import walk

    use_threads()
    edges = graph.to("cpu").transposed
    weights = torch.empty(0, dtype=torch.float64) if edge_weight is None else _cumulative(graph, edge_weight.cpu())
    out = torch.empty(len(starts), length + 1, dtype=edges.indices.dtype)
    walk(row_chunks(len(starts)), starts.cpu().long().numpy(), edges.indptr.numpy(), edges.indices.numpy(),
         weights.numpy(), 1 / p, 1 / q, seed, out.numpy())  # fmt: skip
    return out.to(graph.device)


def _cumulative(graph: Graph, edge_weight: Tensor) -> Tensor:
    """(E,) float64 running sums of the weights of each source's edges, in by-source order."""
    if edge_weight.shape != (graph.full.num_edges,):
        raise ValueError(
            f"edge_weight must be one number for each of the {graph.full.num_edges} edges, "
            f"got shape {tuple(edge_weight.shape)}"
        )
    weights = edge_weight.double()
    wrong = ~(weights.isfinite() & (weights >= 0))
    if wrong.any():
        edge = int(wrong.nonzero()[0])
        raise ValueError(f"edge_weight of edge {edge} is {float(weights[edge])}; walks need finite weights, 0 or more")
    cpu = graph.to("cpu")
    sums = weights[cpu.order.long()][cpu.transposed.order.long()].cumsum(0)
    before = torch.cat([sums.new_zeros(1), sums])[cpu.transposed.indptr[:-1]]
    return sums - before.repeat_interleave(cpu.out_degree)


def _check(graph: Graph, starts: Tensor, length: int, p: float, q: float, seed: int) -> None:
    for name, value in (("p", p), ("q", q)):
        if not (value > 0 and math.isfinite(value)):
            raise ValueError(f"{name} must be a number above 0, got {value}")
    if length < 0:
        raise ValueError(f"a walk cannot have {length} steps; length must be 0 or more")
    check_seed(seed)
    if starts.dim() != 1 or starts.is_floating_point() or starts.dtype == torch.bool:
        raise ValueError(f"starts must be a (W,) tensor of node ids, got {starts.dtype} of shape {tuple(starts.shape)}")
    if len(starts) and not 0 <= int(starts.min()) <= int(starts.max()) < graph.num_nodes:
        span = f"{int(starts.min())}..{int(starts.max())}"
        raise ValueError(f"starts name nodes {span}, but the graph has {graph.num_nodes} nodes (ids from 0)")
