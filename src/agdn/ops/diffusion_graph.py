"""The graph of a diffusion, in place of the graph itself (graph diffusion convolution, GDC).

    S = sum over k of theta_k A^k        PPR  theta_k = alpha (1 - alpha)^k        heat  theta_k = e^-t t^k / k!

with A the symmetric normalised adjacency. What every node sends, a column of S, is cut to its largest entries or to
those of some size, and the rest are the weighted edges of the new graph; models normalise these again.

Gasteiger, Weissenberger and Günnemann, Diffusion improves graph learning, NeurIPS 2019.

Exactly, S is dense: alpha (I - (1 - alpha) A)^-1 or exp(t (A - I)). Else columns come one by one, PPR by pushing what
waits at a node to its neighbours while it is more than a tolerance (Andersen, Chung and Lang, 2006), heat by the series
with what is below the tolerance left behind: time and memory follow the edges that matter.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.backend import require_kernels
from agdn.ops.normalise import normalised_adjacency
from agdn.ops.propagate import in_source_order

EXACT_NODES = 4096  # up to so many where nothing is said
LARGEST_EXACT = 30_000
TAIL = 1e-9  # of the heat series, which is left out

Method = Literal["auto", "exact", "approximate"]


def diffusion_graph(
    graph: Graph,
    edge_weight: Tensor | None = None,
    *,
    alpha: float | None = None,
    t: float | None = None,
    top_k: int | None = None,
    epsilon: float | None = None,
    method: Method = "auto",
    tolerance: float = 1e-5,
) -> tuple[Graph, Tensor]:
    """The new graph and its edges' weights (E,) in the caller's order.

    Args:
        alpha: Restart probability of PPR; this or ``t``.
        t: Time of the heat kernel.
        top_k: Edges out of a node that are kept, the heaviest.
        epsilon: Weight from which on edges are kept; this or ``top_k`` or both.
        method: ``exact``, ``approximate``, or ``auto``, which is exact for small graphs.
        tolerance: What may be left behind at a node, for each of its edges.
    """
    _check(graph, alpha, t, top_k, epsilon, tolerance)
    weight = normalised_adjacency(graph, "sym", edge_weight, dtype=torch.float64)
    if method == "exact" and graph.num_nodes > LARGEST_EXACT:
        raise ValueError(
            f"an exact diffusion of {graph.num_nodes} nodes is a dense matrix; use method=approximate beyond "
            f"{LARGEST_EXACT}"
        )
    if method == "exact" or (method == "auto" and graph.num_nodes <= EXACT_NODES):
        source, target, values = _cut(_dense(graph, weight, alpha, t), top_k, epsilon)
    else:
        source, target, values = _by_column(graph, weight, alpha, t, top_k, epsilon, tolerance)
    return Graph(torch.stack([source, target]), graph.num_nodes), values.float()


def _dense(graph: Graph, weight: Tensor, alpha: float | None, t: float | None) -> Tensor:
    """(N, N) S, rows are targets."""
    a = torch.zeros(graph.num_nodes, graph.num_nodes, dtype=torch.float64)
    a.index_put_((graph.targets.long(), graph.indices.long()), weight[:, 0], accumulate=True)
    one = torch.eye(graph.num_nodes, dtype=torch.float64)
    if alpha is not None:
        s: Tensor = alpha * torch.linalg.inv(one - (1 - alpha) * a)
    else:
        s = torch.linalg.matrix_exp((t or 0.0) * (a - one))
    return s


def _cut(s: Tensor, top_k: int | None, epsilon: float | None) -> tuple[Tensor, Tensor, Tensor]:
    """Sources, targets and values of the entries that stay."""
    kept = s > 0
    if epsilon is not None:
        kept &= s >= epsilon
    if top_k is not None and top_k < len(s):
        largest = torch.zeros_like(kept)
        largest.scatter_(0, torch.argsort(-s, dim=0, stable=True)[:top_k], True)
        kept &= largest
    source, target = kept.t().nonzero(as_tuple=True)
    return source, target, s[target, source]


def _by_column(
    graph: Graph,
    weight: Tensor,
    alpha: float | None,
    t: float | None,
    top_k: int | None,
    epsilon: float | None,
    tolerance: float,
) -> tuple[Tensor, Tensor, Tensor]:
    require_kernels("approximate diffusions")
    from agdn.ops.kernels.diffusion_graph import columns
    from agdn.ops.kernels.jit import use_threads

    use_threads()
    by_source, n, threads = graph.transposed, graph.num_nodes, torch.get_num_threads()
    coefficients = np.array([alpha]) if alpha is not None else _heat(t or 0.0)
    nodes, state = np.empty((threads, 3, n), np.int64), np.zeros((threads, n), np.uint8)
    sent = in_source_order(weight, by_source.order)[:, 0].contiguous()
    edges = (by_source.indptr.numpy(), by_source.indices.numpy(), sent.numpy())
    counts, starts = np.zeros(n, np.int64), np.zeros(n + 1, np.int64)
    targets, found = np.empty(0, np.int64), np.empty(0, np.float64)

    def run() -> None:
        columns(
            coefficients, alpha is not None, tolerance, *edges, top_k or 0, epsilon or 0.0, starts, counts, targets,
            found, nodes, state, np.zeros((threads, 3, n)), work=n * graph.num_edges,
        )  # fmt: skip

    if top_k is None:  # how many there are is not known
        run()
        np.cumsum(counts, out=starts[1:])
    else:
        starts[:] = np.arange(n + 1) * top_k
    targets, found = np.full(max(1, starts[-1]), -1, np.int64), np.zeros(max(1, starts[-1]))
    run()
    kept = torch.from_numpy(targets >= 0)
    sources = torch.arange(n).repeat_interleave(torch.from_numpy(counts))
    return sources, torch.from_numpy(targets)[kept], torch.from_numpy(found)[kept]


def _heat(t: float) -> np.ndarray:
    """e^-t t^k / k! up to where the rest is below TAIL."""
    terms = [math.exp(-t)]
    while 1 - sum(terms) > TAIL:
        terms.append(terms[-1] * t / len(terms))
    return np.array(terms)


def _check(
    graph: Graph,
    alpha: float | None,
    t: float | None,
    top_k: int | None,
    epsilon: float | None,
    tolerance: float,
) -> None:
    if graph.is_bipartite:
        raise ValueError("a diffusion needs one set of nodes; this graph is bipartite")
    if (alpha is None) == (t is None):
        raise ValueError("a diffusion is by PPR or by heat: give alpha or t")
    if alpha is not None and not 0 < alpha < 1:
        raise ValueError(f"PPR needs a restart probability alpha between 0 and 1, got {alpha}")
    if t is not None and not 0 < t <= 100:
        raise ValueError(f"heat needs a time t in (0, 100], got {t}")
    if top_k is None and epsilon is None:
        raise ValueError("a diffusion reaches every node; say which edges stay with top_k or epsilon")
    if (top_k is not None and top_k < 1) or (epsilon is not None and not epsilon > 0):
        raise ValueError(f"top_k must be at least 1 and epsilon above 0, got {top_k} and {epsilon}")
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance must lie between 0 and 1, got {tolerance}")
