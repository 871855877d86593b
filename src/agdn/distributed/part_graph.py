"""A part of a graph: the nodes of one rank, every edge into them, and the halo that these edges come from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from agdn.distributed.exchange import Exchange
from agdn.distributed.world import World
from agdn.graph import INT32_LIMIT, Graph, Transposed
from agdn.ops.part_diffuse import Edges
from agdn.ops.sparse_rows import positions


@dataclass(frozen=True)
class Piece:
    """The structure of one part, before it is joined to the others: all that a file keeps of it.

    Attributes:
        nodes: (N,) ids of the own nodes in the whole graph, ascending.
        halo: (B,) ids of the halo, by owner and then ascending; ``owners`` (B,) theirs.
        indptr, indices: The edges by target; a source is an own row, or N and more for the halo.
        places: (E,) where each edge stands in the whole graph's order.
        edges: (E,) where it stands among the edges as the whole graph's caller gave them.
        out_degree: (N + B,) in the whole graph.
        total_nodes, total_edges: Of the whole graph.
    """

    nodes: Tensor
    halo: Tensor
    owners: Tensor
    indptr: Tensor
    indices: Tensor
    places: Tensor
    edges: Tensor
    out_degree: Tensor
    total_nodes: int
    total_edges: int


def cut_out(graph: Graph, owner: Tensor, rank: int) -> Piece:
    """The part of ``rank``, where ``owner`` (N,) names the rank of each node."""
    nodes = (owner == rank).nonzero().squeeze(1)
    counts = graph.in_degree[nodes]
    ends = counts.cumsum(0)
    places = positions(graph.indptr[nodes], counts)
    sources = graph.indices[places].long()
    beyond = sources[owner[sources] != rank].unique()
    halo = beyond[torch.argsort(owner[beyond], stable=True)]
    local = torch.full((graph.num_nodes,), -1, dtype=torch.int64)
    local[nodes] = torch.arange(len(nodes))
    local[halo] = torch.arange(len(nodes), len(nodes) + len(halo))
    return Piece(
        nodes=nodes,
        halo=halo,
        owners=owner[halo].long(),
        indptr=torch.cat([ends.new_zeros(1), ends]),
        indices=_small(local[sources], len(nodes) + len(halo)),
        places=places,
        edges=graph.order[places].long(),
        out_degree=graph.out_degree[torch.cat([nodes, halo])],
        total_nodes=graph.num_nodes,
        total_edges=graph.num_edges,
    )


class PartGraph(Graph):
    """A graph whose targets are the own nodes and whose sources are these and the halo's; ``num_nodes`` is the former.

    Edges of a target are in the order that they have in the whole graph, and that is the caller's order too.

    Attributes:
        nodes, edges, places, total_nodes, total_edges: See :class:`Piece`.
        halo: The way to the other parts, see :class:`agdn.ops.halo.Halo`.
    """

    nodes: Tensor
    edges: Tensor
    places: Tensor
    halo: Exchange
    total_nodes: int
    total_edges: int

    @classmethod
    def joined(cls, piece: Piece, world: World) -> PartGraph:
        """The piece of this rank together with those of the others, all of which do the same."""
        return cls.apart(piece).join(world)

    @classmethod
    def apart(cls, piece: Piece) -> PartGraph:
        """The piece by itself; nothing can be computed on it before it has joined the others."""
        part: PartGraph = object.__new__(cls)
        rows = len(piece.nodes)
        part._set(
            indptr=piece.indptr,
            indices=piece.indices,
            order=_small(torch.arange(len(piece.indices)), len(piece.indices)),
            origin=None,
            num_src=rows + len(piece.halo),
            num_dst=rows,
            is_bipartite=False,
            nodes=piece.nodes,
            edges=piece.edges,
            places=piece.places,
            out_degree=piece.out_degree,
            total_nodes=piece.total_nodes,
            total_edges=piece.total_edges,
            piece=piece,
        )
        return part

    def join(self, world: World) -> PartGraph:
        if "halo" not in self.__dict__:
            piece: Piece = self.__dict__.pop("piece")
            self._set(halo=Exchange(world, piece.nodes, piece.halo, piece.owners, self.total_nodes))
        return self

    def keep(self, mask: Tensor) -> PartGraph:
        kept: PartGraph = object.__new__(PartGraph)
        shared = {name: getattr(self, name) for name in ("nodes", "edges", "halo", "total_nodes", "total_edges")}
        kept._set(**super().keep(mask).__dict__, **shared)
        return kept

    @cached_property
    def transposed(self) -> Transposed:
        if "_kept" in self.__dict__:
            return self._kept_transposed(self.__dict__["_kept"])
        order = torch.argsort(self.indices, stable=True)
        counts = torch.bincount(self.indices, minlength=self.num_src)
        indptr = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
        return Transposed(indptr, self.targets[order], _small(order, self.num_edges))

    @cached_property
    def divided(self) -> Edges:
        """The edges from own nodes and those from the halo, each a graph of its own."""
        if "_kept" in self.__dict__:
            whole, mask = self.__dict__["_parent"].divided, self.__dict__["_kept"]
            position = mask.cumsum(0) - 1
            graphs = [graph.keep(mask[at]) for graph, at in ((whole.inner, whole.inside), (whole.outer, whole.outside))]
            places = [position[at[mask[at]]] for at in (whole.inside, whole.outside)]
            return Edges(graphs[0], places[0], graphs[1], places[1], whole.reached, self.halo, self.nodes)
        rows, beyond = self.num_dst, self.indices >= self.num_dst
        inside, outside = (~beyond).nonzero().squeeze(1), beyond.nonzero().squeeze(1)
        reached = self.targets[outside].unique().long()
        inner = _graph(self.targets[inside].long(), self.indices[inside], rows, (rows, rows))
        targets = torch.searchsorted(reached, self.targets[outside].long())
        sources = self.indices[outside] - rows
        outer = _graph(targets, sources, len(reached), (self.halo.size, len(reached)), bipartite=True)
        return Edges(inner, inside, outer, outside, reached, self.halo, self.nodes)

    def __repr__(self) -> str:
        return (
            f"PartGraph({self.num_dst} of {self.total_nodes} nodes, {self.num_edges} of {self.total_edges} edges, "
            f"halo={self.halo.size})"
        )


def _graph(targets: Tensor, sources: Tensor, groups: int, size: tuple[int, int], *, bipartite: bool = False) -> Graph:
    """Edges that are grouped by target already."""
    counts = torch.bincount(targets, minlength=groups)
    indptr = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    order = _small(torch.arange(len(sources)), len(sources))
    return Graph.from_parts(indptr, sources, order, size=size, bipartite=bipartite)


def _small(ids: Tensor, limit: int) -> Tensor:
    return ids.int() if limit <= INT32_LIMIT else ids
