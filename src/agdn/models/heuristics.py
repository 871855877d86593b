"""Link prediction without learning: scores that are read off the graph, behind the interface of a link model.

A_uv is the number of edges u -> v and d_w the number of edges out of w, as in :mod:`agdn.ops.heuristics`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor, nn

from agdn.graph import Graph
from agdn.ops import heuristics


class Heuristic(nn.Module, ABC):
    """A link model whose state is the graph itself: features and edge signals are not looked at."""

    def __init__(self) -> None:
        super().__init__()

    def reset_parameters(self) -> None:
        pass

    def encode(
        self, x: Tensor | None, graph: Graph | Tensor, nodes: Tensor | None = None, **edges: Tensor | None
    ) -> Graph:
        return graph if isinstance(graph, Graph) else Graph(graph, None if x is None else x.size(0))

    @abstractmethod
    def decode(self, graph: Graph, pairs: Tensor) -> Tensor:
        """(2, P) node pairs -> (P,) scores."""

    def forward(self, x: Tensor | None, graph: Graph | Tensor, pairs: Tensor) -> Tensor:
        return self.decode(self.encode(x, graph), pairs)


class CommonNeighbours(Heuristic):
    """sum over w of A_uw A_wv (Newman, 2001)."""

    def decode(self, graph: Graph, pairs: Tensor) -> Tensor:
        return heuristics.common_neighbours(graph, pairs)


class AdamicAdar(Heuristic):
    """sum over w of A_uw A_wv / ln d_w (Adamic and Adar, 2003)."""

    def decode(self, graph: Graph, pairs: Tensor) -> Tensor:
        return heuristics.adamic_adar(graph, pairs)


class ResourceAllocation(Heuristic):
    """sum over w of A_uw A_wv / d_w (Zhou, Lü and Zhang, 2009)."""

    def decode(self, graph: Graph, pairs: Tensor) -> Tensor:
        return heuristics.resource_allocation(graph, pairs)


class PersonalisedPageRank(Heuristic):
    """pi_u(v) + pi_v(u), pi_u = alpha e_u + (1 - alpha) pi_u D^-1 A (Page, Brin, Motwani and Winograd, 1999).

    pi is found by forward push (Andersen, Chung and Lang, 2006).

    Args:
        alpha: Chance of a walk to stop at each step.
        eps: How much may be left on its way at a node, for each of its edges.
    """

    def __init__(self, *, alpha: float = 0.15, eps: float = 1e-6) -> None:
        super().__init__()
        heuristics.check_pagerank(alpha, eps)
        self.alpha, self.eps = alpha, eps

    def decode(self, graph: Graph, pairs: Tensor) -> Tensor:
        return heuristics.personalised_pagerank(graph, pairs, self.alpha, self.eps)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}, eps={self.eps}"


class Katz(Heuristic):
    """sum for l = 1..length of beta^l (A^l)_uv (Katz, 1953; cut off as in Liben-Nowell and Kleinberg, 2003).

    Args:
        beta: What one more step makes of a walk's weight.
        length: Steps of the longest walks that are counted.
    """

    def __init__(self, *, beta: float = 0.005, length: int = 3) -> None:
        super().__init__()
        heuristics.check_katz(beta, length)
        self.beta, self.length = beta, length

    def decode(self, graph: Graph, pairs: Tensor) -> Tensor:
        return heuristics.katz(graph, pairs, self.beta, self.length)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, length={self.length}"
