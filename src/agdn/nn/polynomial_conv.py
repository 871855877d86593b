"""A convolution by a polynomial of the fixed transition, with a linear map for every order of it.

    power       sum over k of A^k X W_k + b
    chebyshev   sum over k of T_k(L) X W_k + b,  T_0 = 1, T_1 = L, T_k = 2 L T_(k-1) - T_(k-2),  L = -A

L is the scaled Laplacian 2 (I - A) / lambda_max - I with lambda_max = 2. The polynomial is evaluated where rows are
narrower: of the input, order by order, or of the output by Horner's and Clenshaw's rules, which end with the
transform of order 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.nn.in_blocks import mapped_rows
from agdn.nn.init import glorot_uniform_
from agdn.nn.linear import Linear, plus_product
from agdn.ops import normalised_adjacency, powers, propagate
from agdn.ops.normalise import Normalisation
from agdn.ops.sparse_rows import is_sparse
from agdn.ops.storage import Storage, row_blocks

Basis = Literal["power", "chebyshev"]


class PolynomialConv(nn.Module):
    """(N, in_channels) -> (N, out_channels).

    Args:
        hops: The highest order K.
        basis: ``power`` or ``chebyshev``.
        transition: How the adjacency is normalised.
    """

    def __init__(
        self, in_channels: int, out_channels: int, hops: int, *, basis: Basis, transition: Normalisation = "sym"
    ) -> None:
        super().__init__()
        if hops < 0:
            raise ValueError(f"hops must not be negative, got {hops}")
        self.in_channels, self.out_channels, self.hops = in_channels, out_channels, hops
        self.basis, self.transition = basis, transition
        self.transforms = nn.ModuleList(Linear(in_channels, out_channels, bias=False) for _ in range(hops + 1))
        self.bias = nn.Parameter(torch.empty(out_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for transform in self.transforms:
            glorot_uniform_(cast(Linear, transform).weight, self.in_channels, self.out_channels, gain=1.0)
        nn.init.zeros_(self.bias)

    def forward(
        self, x: Tensor, graph: Graph, edge_attr: Tensor | None = None, edge_weight: Tensor | None = None
    ) -> Tensor:
        adjacency = normalised_adjacency(graph, self.transition, edge_weight, dtype=x.dtype)
        out = (
            self._of_input(x, adjacency, graph) if self._input_is_narrower(x) else self._of_output(x, adjacency, graph)
        )
        return out + self.bias

    @torch.no_grad()
    def in_blocks(self, x: Tensor, graph: Graph, edge_weight: Tensor | None = None, *, storage: Storage) -> Tensor:
        """The same in evaluation, with states in ``storage``."""
        adjacency = normalised_adjacency(graph, self.transition, edge_weight, dtype=x.dtype)

        def transformed(k: int) -> Tensor:
            return mapped_rows(self.transforms[k], x, self.out_channels, storage)

        with storage.behind_kernels():
            out = self._recursion(transformed, adjacency, graph)
        for rows in row_blocks(len(out)):
            out[rows] += self.bias
        return out

    def _input_is_narrower(self, x: Tensor) -> bool:
        """A hop costs its width, and once more where a gradient comes back through it."""
        of_input, of_output = 1 + x.requires_grad, 1 + torch.is_grad_enabled()
        return not is_sparse(x) and of_input * self.in_channels <= of_output * self.out_channels

    def _of_input(self, x: Tensor, adjacency: Tensor, graph: Graph) -> Tensor:
        terms = powers(x, adjacency, graph, self.hops) if self.basis == "power" else self._terms(x, adjacency, graph)
        out: Tensor = self.transforms[0](terms[0])
        for k in range(1, self.hops + 1):
            out = plus_product(out, terms[k], cast(Linear, self.transforms[k]).weight.t())
        return out

    def _terms(self, x: Tensor, adjacency: Tensor, graph: Graph) -> list[Tensor]:
        """T_0(L) x .. T_K(L) x."""
        terms = [x]
        for k in range(1, self.hops + 1):
            hop = -propagate(terms[-1].unsqueeze(1), adjacency, graph).squeeze(1)
            terms.append(hop if k == 1 else 2 * hop - terms[-2])
        return terms

    def _of_output(self, x: Tensor, adjacency: Tensor, graph: Graph) -> Tensor:
        return self._recursion(lambda k: self.transforms[k](x), adjacency, graph)

    def _recursion(self, transformed: Callable[[int], Tensor], adjacency: Tensor, graph: Graph) -> Tensor:
        """Horner's rule, b_k = X W_k + A b_(k+1), or Clenshaw's, b_k = X W_k + 2 L b_(k+1) - b_(k+2)."""
        out: Tensor = transformed(self.hops)
        above: Tensor | None = None
        for k in range(self.hops - 1, -1, -1):
            hop = propagate(out.unsqueeze(1), adjacency, graph).squeeze(1)
            if self.basis == "power":
                out = transformed(k).add_(hop)
                continue
            following = torch.add(transformed(k), hop, alpha=-1.0 if k == 0 else -2.0)
            out, above = following if above is None else following - above, out
        return out

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, hops={self.hops}, basis={self.basis}"
