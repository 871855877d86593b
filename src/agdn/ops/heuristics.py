"""Scores of node pairs that are read off the graph: shared neighbours, walks between the two, PageRank.

A_uv is the number of edges u -> v, and d_w, the sum of row w, the number of edges out of w: on a symmetric graph the
neighbours of a node and its degree, on a directed one what a path u -> w -> v passes through. Self-loops are edges like
any others. Sums are taken in float64, in an order that depends on the graph and the pair alone.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.backend import require_kernels
from agdn.ops.checks import check_counts
from agdn.ops.pairs import check_pairs
from agdn.ops.subgraphs import grouped


def common_neighbours(graph: Graph, pairs: Tensor) -> Tensor:
    """sum over w of A_uw A_wv for every column (u, v) of ``pairs`` (2, P): (P,) float32."""
    cpu, ends = _checked(graph, pairs)
    return _overlap(cpu, ends, torch.ones(cpu.num_nodes, dtype=torch.float64)).to(graph.device)


def adamic_adar(graph: Graph, pairs: Tensor) -> Tensor:
    """sum over w of A_uw A_wv / ln d_w, where a node with d_w = 1 counts nothing: (P,) float32."""
    cpu, ends = _checked(graph, pairs)
    logarithm = cpu.out_degree.clamp(min=1).double().log()
    return _overlap(cpu, ends, torch.where(logarithm > 0, 1 / logarithm, 0.0)).to(graph.device)


def resource_allocation(graph: Graph, pairs: Tensor) -> Tensor:
    """sum over w of A_uw A_wv / d_w: (P,) float32."""
    cpu, ends = _checked(graph, pairs)
    return _overlap(cpu, ends, 1 / cpu.out_degree.clamp(min=1).double()).to(graph.device)


def katz(graph: Graph, pairs: Tensor, beta: float = 0.005, length: int = 3) -> Tensor:
    """sum for l = 1..length of beta^l (A^l)_uv, the walks from u to v, long ones counted for less: (P,) float32."""
    check_katz(beta, length)
    cpu, ends = _checked(graph, pairs)
    from agdn.ops.kernels.heuristics import count_walks

    rows, threads, n = cpu.transposed, torch.get_num_threads(), cpu.num_nodes
    first, order = grouped(ends[0], n, torch.int64)
    sources = first.diff().nonzero().squeeze(1)
    found, values = np.empty((threads, 2, n), np.int64), np.zeros((threads, 2, n))
    out = torch.empty(ends.size(1), dtype=torch.float32)
    count_walks(sources.numpy(), first.numpy(), order.numpy(), ends[1].numpy(), beta, length, rows.indptr.numpy(),
                rows.indices.numpy(), cpu.indptr.numpy(), cpu.indices.numpy(), found, values, out.numpy(),
                work=len(sources) * cpu.num_edges)  # fmt: skip
    return out.to(graph.device)


def personalised_pagerank(graph: Graph, pairs: Tensor, alpha: float = 0.15, eps: float = 1e-6) -> Tensor:
    """pi_u(v) + pi_v(u), pi_u = where a walk from u ends that stops with chance alpha at every step: (P,) float32.

    The walk leaves a node by one of its out-edges, all alike; where there is none it stays. pi_u is found by forward
    push, which leaves at most ``eps`` * d_w on its way at every node w (``eps`` where d_w = 0): pi_u(v) is too small by
    at most ``eps`` times the sum over w of d_w pi_w(v), which on a symmetric graph is ``eps`` * d_v.
    """
    cpu, ends = _checked(graph, pairs)
    from agdn.ops.kernels.pairs import visits_by_node

    first, visits = torch.zeros(cpu.num_nodes + 1, dtype=torch.int64), torch.empty(ends.numel(), dtype=torch.int64)
    visits_by_node(ends.numpy(), first.numpy(), visits.numpy())
    return _pageranks(cpu, ends, first, visits, alpha, eps).sum(0).float().to(graph.device)


def pagerank_from(graph: Graph, pairs: Tensor, alpha: float = 0.15, eps: float = 1e-6) -> Tensor:
    """pi_u(v) alone, see :func:`personalised_pagerank`, whose cost is a push for every u and none for a v: (P,)."""
    cpu, ends = _checked(graph, pairs)
    first, order = grouped(ends[0], cpu.num_nodes, torch.int64)
    return _pageranks(cpu, ends, first, 2 * order, alpha, eps)[0].float().to(graph.device)


def _pageranks(graph: Graph, ends: Tensor, first: Tensor, visits: Tensor, alpha: float, eps: float) -> Tensor:
    """(2, P) float64, what a walk from one end leaves at the other, where ``visits`` asks for it.

    ``visits[first[u]:first[u + 1]]`` are 2p + side for the pairs whose node on that side is u.
    """
    check_pagerank(alpha, eps)
    from agdn.ops.kernels.heuristics import pagerank

    rows, threads, n = graph.transposed, torch.get_num_threads(), graph.num_nodes
    sources = first.diff().nonzero().squeeze(1)
    nodes, state = np.empty((threads, 2, n), np.int64), np.zeros((threads, n), np.uint8)
    values, out = np.zeros((threads, 2, n)), torch.zeros(ends.shape, dtype=torch.float64)
    limit = eps * graph.out_degree.clamp(min=1).double()
    pagerank(sources.numpy(), first.numpy(), visits.numpy(), ends.numpy(), alpha, limit.numpy(), rows.indptr.numpy(),
             rows.indices.numpy(), nodes, state, values, out.numpy(), work=len(sources) * graph.num_edges)  # fmt: skip
    return out


def check_katz(beta: float, length: int) -> None:
    if not (beta > 0 and math.isfinite(beta)):
        raise ValueError(f"beta must be a number above 0, got {beta}")
    check_counts(length=length)


def check_pagerank(alpha: float, eps: float) -> None:
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")
    if not 0 < eps < 1:
        raise ValueError(f"eps must lie between 0 and 1, got {eps}")


def _checked(graph: Graph, pairs: Tensor) -> tuple[Graph, Tensor]:
    """Graph and pairs as the kernels take them."""
    require_kernels("heuristics")
    if pairs.is_floating_point() or pairs.dtype == torch.bool:
        raise ValueError(f"pairs must hold node ids, got {pairs.dtype}")
    ends = pairs.cpu().long().contiguous()
    check_pairs(ends, (graph.num_nodes, graph.num_nodes))
    from agdn.ops.kernels.jit import use_threads

    use_threads()
    return graph.to("cpu"), ends


def _overlap(graph: Graph, pairs: Tensor, weight: Tensor) -> Tensor:
    """sum over w of A_uw weight_w A_wv. The shorter of the two rows is gathered from the longer one's marks."""
    from agdn.ops.kernels.heuristics import overlap

    rows, threads, (u, v) = graph.transposed, torch.get_num_threads(), pairs.numpy()
    leaving, entering = graph.out_degree.numpy()[u], graph.in_degree.numpy()[v]
    from_v = (leaving < entering) | ((leaving == entering) & (u < v))  # so that (v, u) gets the bits of (u, v)
    marked, gathered = np.where(from_v, v + graph.num_nodes, u), np.where(from_v, u, v)
    order = grouped(torch.from_numpy(marked), 2 * graph.num_nodes, torch.int64)[1].numpy()
    work = np.cumsum(np.minimum(leaving, entering)[order] + 1)
    total = int(work[-1]) if len(work) else 0
    pieces = np.searchsorted(work, np.linspace(0, total, threads + 1))
    pieces[-1] = len(work)
    out = torch.empty(len(work), dtype=torch.float32)
    overlap(pieces, order, marked, gathered, rows.indptr.numpy(), rows.indices.numpy(), graph.indptr.numpy(),
            graph.indices.numpy(), weight.numpy(), np.zeros((threads, graph.num_nodes)), out.numpy(),
            work=total)  # fmt: skip
    return out
