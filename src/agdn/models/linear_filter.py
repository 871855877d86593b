"""A filter of the features that is fixed before training, and a linear map of what it leaves: SGC and S2GC."""

from __future__ import annotations

from torch import Tensor

from agdn.graph import Graph
from agdn.models.propagated_first import PropagatedFirst
from agdn.nn.linear import Linear
from agdn.ops import normalised_adjacency, polynomial
from agdn.ops.normalise import Normalisation
from agdn.ops.sparse_rows import is_sparse, product


class LinearFilter(PropagatedFirst):
    """(sum over k of c_k A^k X) W + b.

    Args:
        coefficients: c_0..c_K.
        transition: How the adjacency is normalised.
    """

    def __init__(
        self, in_channels: int, out_channels: int, *, coefficients: list[float], transition: Normalisation
    ) -> None:
        super().__init__(out_channels, len(coefficients) - 1, transition)
        self.coefficients = coefficients
        self.linear = Linear(in_channels, out_channels)

    def reset_parameters(self) -> None:
        self.linear.reset_parameters()

    def forward(
        self,
        x: Tensor,
        graph: Graph | Tensor,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
        *,
        rows: Tensor | None = None,
    ) -> Tensor:
        if not is_sparse(x):
            return super().forward(x, graph, edge_attr, edge_weight, rows=rows)
        graph = graph if isinstance(graph, Graph) else Graph(graph, x.size(0))
        adjacency = normalised_adjacency(graph, self.transition, edge_weight, dtype=x.dtype)
        few = product(x, self.linear.weight.t())  # channels, and no dense copy of the features
        out = self.propagate(few, adjacency, graph) + self.linear.bias
        return out if rows is None else out[rows]

    def propagate(self, x: Tensor, adjacency: Tensor, graph: Graph) -> Tensor:
        return polynomial(x, adjacency, graph, self.coefficients)

    def learnt(self, h: Tensor) -> Tensor:
        out: Tensor = self.linear(h)
        return out

    def extra_repr(self) -> str:
        return f"{self.transition}, " + ", ".join(f"{c:.3g}" for c in self.coefficients)
