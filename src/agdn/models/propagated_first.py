"""Models that propagate features before anything is learnt, and so but once: SGC, S2GC, SIGN, SAGN and DCNN."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.models.kept import Kept
from agdn.nn.in_blocks import mapped_rows
from agdn.ops import normalised_adjacency, powers
from agdn.ops.normalise import Normalisation
from agdn.ops.sparse_rows import dense
from agdn.ops.storage import Storage


class PropagatedFirst(nn.Module, ABC):
    """What the graph does to the features is computed once for the same features, graph and edge weights.

    Args:
        out_channels: Classes, tasks or embedding width.
        hops: K, at least 0.
        transition: How the adjacency is normalised.
    """

    def __init__(self, out_channels: int, hops: int, transition: Normalisation) -> None:
        super().__init__()
        if hops < 0:
            raise ValueError(f"hops must not be negative, got {hops}")
        self.out_channels, self.hops, self.transition = out_channels, hops, transition
        self._kept = Kept()

    def propagate(self, x: Tensor, adjacency: Tensor, graph: Graph) -> Tensor:
        """(N, ...) of features (N, F) and the normalised adjacency (E, 1), in the graph's order.

        Here every hop for itself, (N, K + 1, F), hop by hop in memory.
        """
        return powers(x, adjacency, graph, self.hops).transpose(0, 1)

    @abstractmethod
    def learnt(self, h: Tensor) -> Tensor:
        """(rows, out_channels) of rows of what :meth:`propagate` gives, each by itself."""

    def forward(
        self,
        x: Tensor,
        graph: Graph | Tensor,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
        *,
        rows: Tensor | None = None,
    ) -> Tensor:
        """(N, out_channels), or of some ``rows`` alone: the rest of the graph costs these nothing."""
        graph = graph if isinstance(graph, Graph) else Graph(graph, x.size(0))
        h = self._kept.of(x, graph, edge_weight, lambda: self._propagated(x, graph, edge_weight))
        return self.learnt(h if rows is None else h[rows])

    @torch.no_grad()
    def in_blocks(
        self,
        x: Tensor,
        graph: Graph,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
        *,
        storage: Storage,
    ) -> tuple[Tensor, list[Tensor | None]]:
        """As :meth:`agdn.AGDN.in_blocks`; there are no hop weights to tell, and nothing is kept."""
        if self.training:
            raise ValueError("in_blocks is for evaluation; call model.eval() first")
        with storage.behind_kernels():
            h = self._propagated(x, graph, edge_weight)
        return mapped_rows(self.learnt, h, self.out_channels, storage), []

    def _propagated(self, x: Tensor, graph: Graph, edge_weight: Tensor | None) -> Tensor:
        adjacency = normalised_adjacency(graph, self.transition, edge_weight, dtype=x.dtype)
        return self.propagate(dense(x), adjacency, graph)
