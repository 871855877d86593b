"""The frozen structure record: who is connected to whom, sorted once and used for ever."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

if TYPE_CHECKING:
    from scipy.sparse import coo_array, csr_array
    from torch_geometric.data import Data

INT32_LIMIT = 2**31 - 1


class Transposed(NamedTuple):
    """The same edges grouped by source (CSC)."""

    indptr: Tensor  # (num_src + 1,) int64
    indices: Tensor  # (E,) targets
    order: Tensor  # (E,) position of each edge in the by-target order


class Graph:
    """A directed graph (or a bipartite one), with its edges grouped by target.

    Edges are sorted by (target, source) at construction, so results do not depend on the order in which the caller
    listed them. Features, labels and edge attributes are tensors beside the graph, in the caller's own order;
    ``order`` leads from one to the other.

    Args:
        edge_index: ``(2, E)`` integer tensor, sources in row 0 and targets in row 1, as in PyG.
        num_nodes: Number of nodes; by default one more than the largest id.
        size: ``(num_src, num_dst)`` of a bipartite graph, instead of ``num_nodes``.

    Attributes:
        indptr: ``(num_dst + 1,)`` int64; the edges of target ``i`` are ``indptr[i]:indptr[i + 1]``.
        indices: ``(E,)`` source of each edge, int32 where the ids fit.
        order: ``(E,)`` the caller's position of each edge: ``edge_attr[graph.order]`` is in the graph's order.
        full: The graph whose edges these are: itself, or the graph that ``keep`` was called on.
        origin: For a graph made from another one, ``(E,)`` in the caller's order: each edge's position in the parent's
            caller order, -1 for an edge that the parent did not have. None for a graph built from edges.
    """

    indptr: Tensor
    indices: Tensor
    order: Tensor
    origin: Tensor | None
    num_src: int
    num_dst: int
    is_bipartite: bool

    def __init__(
        self,
        edge_index: Tensor,
        num_nodes: int | None = None,
        *,
        size: tuple[int, int] | None = None,
        origin: Tensor | None = None,
    ) -> None:
        num_src, num_dst = _checked_size(edge_index, num_nodes, size)
        source, target = edge_index[0].long(), edge_index[1].long()
        order = torch.argsort(target * max(num_src, 1) + source, stable=True)
        self._set(
            indptr=_pointers(target, num_dst),
            indices=_compact(source[order], num_src),
            order=_compact(order, edge_index.size(1)),
            origin=origin,
            num_src=num_src,
            num_dst=num_dst,
            is_bipartite=size is not None,
        )
        if torch.compiler.is_compiling():  # at hand here, and found by other means it would trace badly
            self._set(targets=target[order])

    def _set(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Graph is immutable: build a new one instead of setting {name!r}")

    @classmethod
    def of(cls, source: Graph | Tensor | Any, num_nodes: int | None = None) -> Graph:
        """A Graph from whatever holds one: a Graph, a ``(2, E)`` tensor, a SciPy matrix or a PyG ``Data``."""
        if isinstance(source, Graph):
            return source
        if isinstance(source, Tensor):
            return cls(source, num_nodes)
        if hasattr(source, "tocoo"):
            return cls.from_scipy(source)
        if hasattr(source, "edge_index"):
            return cls.from_data(source)
        raise ValueError(
            f"expected a Graph, a (2, E) tensor, a SciPy sparse matrix or a PyG Data, got {type(source).__name__}"
        )

    @classmethod
    def from_scipy(cls, matrix: coo_array[Any] | csr_array[Any] | Any) -> Graph:
        """Each stored entry ``(i, j)`` is an edge i -> j, as in PyG; edge order is that of ``matrix.tocoo()``."""
        coo = matrix.tocoo()
        rows, columns = torch.from_numpy(coo.row.astype("int64")), torch.from_numpy(coo.col.astype("int64"))
        edge_index = torch.stack([rows, columns])
        num_src, num_dst = coo.shape
        return cls(edge_index, num_src) if num_src == num_dst else cls(edge_index, size=(num_src, num_dst))

    @classmethod
    def from_data(cls, data: Data) -> Graph:
        """The graph of a PyG ``Data``; its ``edge_attr`` and ``edge_weight`` stay aligned."""
        if data.edge_index is None:
            raise ValueError("this PyG Data has no edge_index; a Graph needs one")
        return cls(data.edge_index, data.num_nodes)

    @classmethod
    def from_parts(
        cls,
        indptr: Tensor,
        indices: Tensor,
        order: Tensor,
        *,
        size: tuple[int, int],
        bipartite: bool = False,
        origin: Tensor | None = None,
    ) -> Graph:
        """A graph from its own three arrays, as a file keeps them: checked, not sorted again."""
        _check_parts(indptr, indices, order, size, origin)
        graph = object.__new__(cls)
        graph._set(
            indptr=indptr,
            indices=indices,
            order=order,
            origin=origin,
            num_src=size[0],
            num_dst=size[1],
            is_bipartite=bipartite,
        )
        return graph

    @classmethod
    def _trusted(cls, indptr: Tensor, indices: Tensor, origin: Tensor) -> Graph:
        """A graph whose edges are sorted already, which is the caller's order too: nothing is checked."""
        graph = object.__new__(cls)
        nodes, edges = indptr.numel() - 1, indices.numel()
        graph._set(
            indptr=indptr,
            indices=_compact(indices, nodes),
            order=torch.arange(edges, dtype=_compact(indptr[:0], edges).dtype, device=indices.device),
            origin=origin,
            num_src=nodes,
            num_dst=nodes,
            is_bipartite=False,
        )
        return graph

    @property
    def full(self) -> Graph:
        kept_from: Graph = self.__dict__.get("_kept_from", self)
        return kept_from

    @property
    def num_nodes(self) -> int:
        if self.is_bipartite:
            raise ValueError(
                f"a bipartite graph of {self.num_src} sources and {self.num_dst} targets has no single number of nodes"
            )
        return self.num_dst

    @property
    def num_edges(self) -> int:
        return self.indices.size(0)

    @property
    def device(self) -> torch.device:
        return self.indices.device

    @cached_property
    def in_degree(self) -> Tensor:
        """(num_dst,) int64, repeated edges counted as often as they occur."""
        return self.indptr.diff()

    @cached_property
    def out_degree(self) -> Tensor:
        """(num_src,) int64, repeated edges counted as often as they occur."""
        counts = torch.zeros(self.num_src, dtype=torch.long, device=self.device)
        return counts.index_add_(0, self.indices, torch.ones_like(self.indices, dtype=torch.long))

    @cached_property
    def targets(self) -> Tensor:
        """(E,) target of each edge, in the graph's order."""
        ids = torch.arange(self.num_dst, dtype=self.indices.dtype, device=self.device)
        return ids.repeat_interleave(self.in_degree, output_size=self.num_edges)

    @cached_property
    def transposed(self) -> Transposed:
        """The edges grouped by source, with the permutation back to the by-target order."""
        if "_kept" in self.__dict__:
            return self._kept_transposed(self.__dict__["_kept"])
        order = torch.argsort(self.indices, stable=True)
        indptr = torch.cat([self.out_degree.new_zeros(1), self.out_degree.cumsum(0)])
        return Transposed(indptr, self.targets[order], _compact(order, self.num_edges))

    @cached_property
    def edge_index(self) -> Tensor:
        """(2, E) int64 in the caller's order."""
        if self.full is not self:
            raise ValueError("this graph keeps a part of another graph's edges; it has no edge list of its own")
        by_target = torch.stack([self.indices.long(), self.targets.long()])
        return torch.empty_like(by_target).index_copy_(1, self.order.long(), by_target)

    def undirected(self, *, coalesce: bool = True) -> Graph:
        """Every edge in both directions. Repeated edges are merged, or (``coalesce=False``) all kept."""
        self._require_square("undirected")
        edge_index = self.edge_index
        forward = torch.arange(self.num_edges, device=self.device)
        backward = forward[edge_index[0] != edge_index[1]]
        both = torch.cat([edge_index, edge_index[:, backward].flip(0)], dim=1)
        origin = torch.cat([forward, backward])
        return self._merged(both, origin) if coalesce else Graph(both, self.num_nodes, origin=origin)

    def coalesced(self) -> Graph:
        """Repeated edges merged into one; ``origin`` names the first of each."""
        return self._merged(self.edge_index, torch.arange(self.num_edges, device=self.device))

    def with_self_loops(self) -> Graph:
        """Exactly one self-loop on every node: those that exist are dropped, new ones are appended."""
        self._require_square("with_self_loops")
        edge_index = self.edge_index
        kept = (edge_index[0] != edge_index[1]).nonzero().squeeze(1)
        loops = torch.arange(self.num_nodes, device=self.device)
        return Graph(
            torch.cat([edge_index[:, kept], loops.expand(2, -1)], dim=1),
            self.num_nodes,
            origin=torch.cat([kept, torch.full_like(loops, -1)]),
        )

    def without_self_loops(self) -> Graph:
        self._require_square("without_self_loops")
        kept = (self.edge_index[0] != self.edge_index[1]).nonzero().squeeze(1)
        return Graph(self.edge_index[:, kept], self.num_nodes, origin=kept)

    def subgraph(self, nodes: Tensor) -> Graph:
        """The node-induced subgraph; ``nodes[i]`` becomes node ``i``, ``origin`` names its edges in this graph."""
        self._require_square("subgraph")
        nodes = nodes.nonzero().squeeze(1) if nodes.dtype == torch.bool else nodes.long()
        if nodes.numel() and not 0 <= int(nodes.min()) <= int(nodes.max()) < self.num_nodes:
            raise ValueError(f"subgraph: node ids must lie in 0..{self.num_nodes - 1}, got {_span(nodes)}")
        renumbered = torch.full((self.num_nodes,), -1, dtype=torch.long, device=self.device)
        renumbered[nodes] = torch.arange(nodes.numel(), device=self.device)
        if int((renumbered >= 0).sum()) != nodes.numel():
            raise ValueError("subgraph: a node id is repeated; give each node once")
        edges = renumbered[self.edge_index]
        kept = (edges >= 0).all(0).nonzero().squeeze(1)
        return Graph(edges[:, kept], nodes.numel(), origin=kept)

    def keep(self, mask: Tensor) -> Graph:
        """The edges where ``mask`` (E,), in the graph's order, is true.

        Unlike the other derived graphs it shares the caller's edge order: ``order`` still points into the full edge
        list, so edge attributes need no carrying. Training drops edges this way.
        """
        graph = object.__new__(Graph)
        kept = mask.nonzero().squeeze(1)
        counts = torch.cat([self.indptr.new_zeros(1), mask.cumsum(0)])
        graph._set(
            indptr=counts[self.indptr],
            indices=self.indices[kept],
            order=self.order[kept],
            origin=self.origin,
            num_src=self.num_src,
            num_dst=self.num_dst,
            is_bipartite=self.is_bipartite,
            _kept_from=self.full,
            _kept=mask,
            _parent=self,
        )
        return graph

    def remaining(self, mask: Tensor) -> Graph:
        """A graph of its own of the edges that ``keep`` would keep; edge attributes come over with ``carry``."""
        self._require_square("remaining")
        kept = mask.nonzero().squeeze(1)
        counts = torch.cat([self.indptr.new_zeros(1), mask.cumsum(0)])
        return Graph._trusted(counts[self.indptr], self.indices[kept], self.order[kept].long())

    def _kept_transposed(self, mask: Tensor) -> Transposed:
        """The parent's by-source order without the dropped edges: no second sort."""
        parent: Transposed = self.__dict__["_parent"].transposed
        by_source = mask[parent.order]
        counts = torch.cat([self.indptr.new_zeros(1), by_source.cumsum(0)])
        position = mask.cumsum(0, dtype=parent.order.dtype) - 1
        return Transposed(counts[parent.indptr], parent.indices[by_source], position[parent.order[by_source]])

    def carry(self, edge_attr: Tensor, fill: float = 0.0) -> Tensor:
        """Edge attributes of the parent graph brought over to this one; new edges get ``fill``."""
        if self.origin is None:
            return edge_attr
        new = (self.origin < 0).view(-1, *[1] * (edge_attr.dim() - 1))
        return edge_attr[self.origin.clamp(min=0)].masked_fill(new, fill)

    def to(self, device: torch.device | str) -> Graph:
        """The same graph with its tensors on another device."""
        if torch.device(device) == self.device:
            return self
        graph = object.__new__(Graph)
        graph._set(**{name: _moved(value, device) for name, value in self.__dict__.items()})
        return graph

    def _merged(self, edge_index: Tensor, origin: Tensor) -> Graph:
        key = edge_index[1] * max(self.num_src, 1) + edge_index[0]
        order = torch.argsort(key, stable=True)
        first = torch.ones_like(order, dtype=torch.bool)
        first[1:] = key[order[1:]] != key[order[:-1]]
        kept = order[first].sort().values
        size = (self.num_src, self.num_dst)
        if self.is_bipartite:
            return Graph(edge_index[:, kept], size=size, origin=origin[kept])
        return Graph(edge_index[:, kept], self.num_nodes, origin=origin[kept])

    def _require_square(self, method: str) -> None:
        if self.is_bipartite:
            raise ValueError(f"{method} needs one set of nodes; this graph is bipartite")

    def __repr__(self) -> str:
        nodes = f"size=({self.num_src}, {self.num_dst})" if self.is_bipartite else f"num_nodes={self.num_dst}"
        return f"Graph({nodes}, num_edges={self.num_edges})"


def _checked_size(edge_index: Tensor, num_nodes: int | None, size: tuple[int, int] | None) -> tuple[int, int]:
    if not isinstance(edge_index, Tensor):
        raise ValueError(f"edge_index must be a (2, E) integer tensor, got {type(edge_index).__name__}")
    if edge_index.dim() != 2 or edge_index.size(0) != 2:
        raise ValueError(
            f"edge_index must have shape (2, E), sources in row 0 and targets in row 1; got {tuple(edge_index.shape)}"
        )
    if edge_index.is_floating_point() or edge_index.is_complex() or edge_index.dtype == torch.bool:
        raise ValueError(f"edge_index must hold integers, got {edge_index.dtype}; convert it with .long()")
    if num_nodes is not None and size is not None:
        raise ValueError("give num_nodes for one set of nodes or size=(num_src, num_dst) for two, not both")
    if torch.compiler.is_compiling() and (num_nodes is not None or size is not None):
        return (num_nodes, num_nodes) if num_nodes is not None else size  # type: ignore[return-value]
    empty = edge_index.numel() == 0
    if not empty and int(edge_index.min()) < 0:
        edge = int((edge_index < 0).any(0).nonzero()[0])
        raise ValueError(f"edge {edge} is {edge_index[:, edge].tolist()}: node ids must not be negative")
    if size is None:
        if num_nodes is None:
            num_nodes = 0 if empty else int(edge_index.max()) + 1
        size = (num_nodes, num_nodes)
    for row, name, limit in zip(edge_index, ("source", "target"), size, strict=True):
        if limit < 0:
            raise ValueError(f"a graph cannot have {limit} nodes")
        if not empty and int(row.max()) >= limit:
            edge = int((row >= limit).nonzero()[0])
            raise ValueError(f"edge {edge} has {name} {int(row[edge])}, but there are only {limit} nodes (ids from 0)")
    return size


def _check_parts(indptr: Tensor, indices: Tensor, order: Tensor, size: tuple[int, int], origin: Tensor | None) -> None:
    num_edges = indices.numel()
    integers = (torch.int32, torch.int64)
    if indptr.dtype != torch.int64 or indices.dtype not in integers or order.dtype not in integers:
        raise ValueError("a graph's indptr must be int64, its indices and order int32 or int64")
    if indptr.shape != (size[1] + 1,) or indices.dim() != 1 or order.shape != indices.shape:
        raise ValueError(f"a graph of size {size} needs {size[1] + 1} pointers and as many positions as edges")
    if int(indptr[0]) != 0 or int(indptr[-1]) != num_edges or bool((indptr.diff() < 0).any()):
        raise ValueError(f"a graph's pointers must rise from 0 to its {num_edges} edges")
    if num_edges and not 0 <= int(indices.min()) <= int(indices.max()) < size[0]:
        raise ValueError(f"a graph's sources must lie in 0..{size[0] - 1}, got {_span(indices)}")
    if num_edges and not 0 <= int(order.min()) <= int(order.max()) < num_edges:
        raise ValueError(f"a graph's edge positions must lie in 0..{num_edges - 1}, got {_span(order)}")
    seen = torch.zeros(num_edges, dtype=torch.bool).index_fill_(0, order.long(), True)
    if not bool(seen.all()):
        raise ValueError("a graph's edge positions must name every edge once")
    if origin is not None and origin.shape != indices.shape:
        raise ValueError(f"a graph's origin must have one entry for each of its {num_edges} edges")


def _pointers(sorted_or_not: Tensor, num_groups: int) -> Tensor:
    counts = torch.zeros(num_groups + 1, dtype=torch.long, device=sorted_or_not.device)
    counts.index_add_(0, sorted_or_not + 1, torch.ones_like(sorted_or_not))
    return counts.cumsum(0)


def _compact(ids: Tensor, limit: int) -> Tensor:
    if torch.compiler.is_compiling():  # sizes are symbols there, and a comparison would bound them
        return ids
    return ids.int() if limit <= INT32_LIMIT else ids


def _moved(value: Any, device: torch.device | str) -> Any:
    if isinstance(value, Tensor | Graph):
        return value.to(device)
    if isinstance(value, Transposed):
        return Transposed(*(tensor.to(device) for tensor in value))
    return value


def _span(ids: Tensor) -> str:
    return f"{int(ids.min())}..{int(ids.max())}"
