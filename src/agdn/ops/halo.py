"""A part of a graph whose other parts lie in other processes.

The rows of such a part are its own nodes. Its edges are all edges into them; where a source belongs to another part it
is one of the part's *halo*, and its values come from there. What operators ask of the other parts is in :class:`Halo`;
a graph that is whole has none, and they ask for nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import torch
from torch import Tensor

from agdn.graph import Graph

Waiting = Callable[[], Tensor]


class Halo(Protocol):
    """The way to the other parts. Every method is called by all of them together, in the same order."""

    size: int
    """Rows of the halo."""

    sent: Tensor
    """(S,) own rows that other parts have in their halo, some more than once."""

    def begin(self, rows: Tensor) -> Waiting:
        """Ask for the halo's rows (size, ...) of what every part gives as own rows (N, ...); call to wait for them."""

    def begin_return(self, rows: Tensor) -> Waiting:
        """The way back: rows (size, ...) of the halo go to their owners, who receive (S, ...), one for each of sent."""

    def sum(self, values: Tensor) -> Tensor:
        """The sum of all parts' values, without a gradient."""

    def places(self, counts: Tensor) -> Tensor:
        """(sum of counts,) where a part's edges stand among all, which are by target; ``counts`` (N,) of own nodes."""

    def smallest(self, keys: Tensor, count: int) -> Tensor:
        """Which of the part's distinct int64 keys are among the ``count`` smallest of all parts."""


def halo_of(graph: Graph) -> Halo | None:
    """None for a graph that is whole."""
    halo: Halo | None = graph.__dict__.get("halo")
    return halo


def own_ids(graph: Any) -> Tensor | None:
    """(N,) what a part's rows are in the whole graph; None where rows are the ids."""
    ids: Tensor | None = graph.__dict__.get("nodes") if isinstance(graph, Graph) else None
    return ids


def edge_places(graph: Graph) -> Tensor | None:
    """(E,) where a part's edges stand among those of all parts, in the whole graph's order; None for a whole graph."""
    halo = halo_of(graph)
    if halo is None or "places" in graph.__dict__:
        places: Tensor | None = graph.__dict__.get("places")
        return places
    return halo.places(graph.indptr.diff())


def with_halo(rows: Tensor, graph: Graph) -> Tensor:
    """(num_dst, ...) own rows -> (num_src, ...) rows of all sources, the halo's behind the own ones."""
    halo = halo_of(graph)
    return rows if halo is None else _Extended.apply(rows, halo)


def to_owners(rows: Tensor, graph: Graph) -> Tensor:
    """(num_src, ...) sums over a part's edges -> (num_dst, ...) sums over all parts' edges."""
    halo = halo_of(graph)
    return rows if halo is None else _Returned.apply(rows, halo)


def sum_over_parts(values: Tensor, graph: Graph) -> Tensor:
    """Without a gradient; the values themselves where the graph is whole."""
    halo = halo_of(graph)
    return values if halo is None else halo.sum(values)


def mean_over_parts(values: Tensor, graph: Graph | None) -> Tensor:
    """What a part adds to the mean of all parts' values: these shares sum up to it."""
    halo = None if graph is None else halo_of(graph)
    if halo is None:
        return values.mean()
    count = halo.sum(torch.tensor(float(values.numel()), dtype=torch.float64))
    return values.sum() / count.clamp(min=1).to(values)


@torch.no_grad()
def highest_of_sources(rows: Tensor, graph: Graph) -> Tensor:
    """(num_src, ...) largest values over a part's edges -> the largest over all parts' edges, for all sources."""
    halo = halo_of(graph)
    if halo is None:
        return rows
    own = rows[: graph.num_dst].clone()
    received = halo.begin_return(rows[graph.num_dst :])()
    index = halo.sent.view(-1, *[1] * (own.dim() - 1)).expand_as(received)
    own.scatter_reduce_(0, index, received, "amax")
    return torch.cat([own, halo.begin(own)()])


class _Extended(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, halo: Halo) -> Tensor:
        ctx.halo, ctx.own = halo, rows.size(0)
        return torch.cat([rows, halo.begin(rows)()])

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return _summed_at_owners(grad, ctx.own, ctx.halo), None


class _Returned(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, halo: Halo) -> Tensor:
        ctx.halo = halo
        return _summed_at_owners(rows, rows.size(0) - halo.size, halo)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return torch.cat([grad, ctx.halo.begin(grad.contiguous())()]), None


def _summed_at_owners(rows: Tensor, own: int, halo: Halo) -> Tensor:
    waiting = halo.begin_return(rows[own:])
    return rows[:own].clone().index_add_(0, halo.sent, waiting())
