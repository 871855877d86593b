"""The parts of a score by the nodes whose features made them, the edges that carried them, and the way's length."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from agdn.graph import Graph


@dataclass(frozen=True)
class Attribution:
    """Signed: what is positive spoke for the answer, what is negative against it.

    Attributes:
        node: The row that is explained.
        score: What is divided up.
        constant: The part of it that no node's features made: biases, or the score of the baseline.
        by_hop: (N, T) what each node's features gave after so many steps, up to those that the model sees.
        flow: (E,) what each edge carried, in the caller's order; None where the method cannot tell.
        distance: (N,) steps to the node along the edges, -1 where the model does not hear that far.
        missing: The part of the score that is neither: the error of an integral.
        follows_ways: Whether ``by_hop`` tells the steps on the way; else they are the distance.
    """

    node: int
    score: float
    constant: float
    by_hop: Tensor
    flow: Tensor | None
    distance: Tensor
    missing: float = 0.0
    follows_ways: bool = True

    @property
    def reach(self) -> int:
        """Steps that the model sees."""
        return self.by_hop.size(1) - 1

    @property
    def source(self) -> Tensor:
        """(N,) what each node's features gave."""
        return self.by_hop.sum(1)

    @property
    def total(self) -> float:
        """For and against together, by which shares are told."""
        return max(float(self.source.abs().sum()), torch.finfo(torch.float32).tiny)

    def handed(self, graph: Graph) -> Tensor:
        """(N,) what each node handed on to others, its own part and that of those behind it; loops do not count."""
        if self.flow is None:
            return self.source
        sources, targets = graph.edge_index
        between = torch.where(sources != targets, self.flow, 0)
        return torch.zeros(graph.num_nodes, dtype=between.dtype).index_add_(0, sources, between)

    def ranked_nodes(self, graph: Graph) -> Tensor:
        """Rows of the others that had a part, those that handed on most for the answer first."""
        handed = self.handed(graph)
        took_part = (self.distance > 0) & (handed != 0)
        rows = took_part.nonzero().squeeze(1)
        return rows[handed[rows].argsort(descending=True, stable=True)]

    def ranked_edges(self, graph: Graph) -> Tensor:
        """Places of the edges between different nodes that carried something, most for the answer first."""
        if self.flow is None:
            return torch.zeros(0, dtype=torch.int64)
        places = ((graph.edge_index[0] != graph.edge_index[1]) & (self.flow != 0)).nonzero().squeeze(1)
        return places[self.flow[places].argsort(descending=True, stable=True)]


def distances(graph: Graph, node: int, most: int | None = None) -> Tensor:
    """(N,) steps from each node to ``node`` along the edges, up to ``most``; -1 beyond."""
    found = torch.full((graph.num_nodes,), -1, dtype=torch.int64)
    found[node] = 0
    sources, targets = graph.indices.long(), graph.targets.long()
    step = 0
    while most is None or step < most:
        heard = sources[found[targets] == step]
        new = heard[found[heard] < 0]
        if not len(new):
            break
        step += 1
        found[new] = step
    return found
