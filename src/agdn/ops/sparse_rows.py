"""Features that are mostly zeros, as a ``torch.sparse_csr`` tensor: products with them cost what their entries cost.

torch multiplies such a tensor quickly, but its backward is as slow as a dense one. Here the entries are the edges of a
bipartite graph from columns to rows, and the product is a hop.
"""

from __future__ import annotations

import warnings

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.propagate import propagate

DENSEST = 0.12  # share of entries up to which a sparse product is faster: by half at 16 channels, twice at 32
NARROWEST = 32  # columns
ADDED = 1 << 62  # from here on entries of added columns are named, by node and column
STRUCTURE, PLACES, JOINT, WEIGHTS = "_agdn_structure", "_agdn_places", "_agdn_joint", "_agdn_weights"


def is_sparse(x: Tensor) -> bool:
    return x.layout == torch.sparse_csr


def compact(x: Tensor) -> Tensor:
    """(N, F) float32 features as they are, or sparse where that is faster."""
    if x.layout != torch.strided or x.device.type != "cpu" or x.dim() != 2 or x.size(1) < NARROWEST or not x.numel():
        return x
    if float(x.count_nonzero()) > DENSEST * x.numel():
        return x
    with warnings.catch_warnings():  # torch calls the layout a beta; what is used of it is below
        warnings.simplefilter("ignore")
        return x.to_sparse_csr()


def with_values(x: Tensor, values: Tensor) -> Tensor:
    """The same places with other values."""
    other = _made(x.crow_indices(), x.col_indices(), values, x.shape)
    setattr(other, STRUCTURE, _rows(x))
    return other


def product(x: Tensor, weight: Tensor) -> Tensor:
    """(N, F) sparse times (F, D) -> (N, D)."""
    return propagate(weight.unsqueeze(1), _weights(x), _rows(x)).squeeze(1)


def with_columns(x: Tensor, columns: Tensor, nodes: Tensor | None) -> Tensor:
    """(N, F) sparse with (N, C) columns behind, of which every entry is stored.

    ``nodes`` (N,) are the global ids of the rows; None where the positions are.
    """
    count = columns.size(1)
    found: tuple[Tensor, Tensor, Tensor] | None = getattr(x, JOINT, None)
    if found is None or found[0].size(1) != x.size(1) + count:
        found = _joint(x, count, nodes)
        setattr(x, JOINT, found)
    joint, own, added = found
    values = columns.new_empty(joint.values().numel(), dtype=x.dtype)
    values = values.index_copy(0, own, x.values()).index_copy(0, added, columns.to(x.dtype).flatten())
    full = with_values(joint, values)
    setattr(full, PLACES, places_of(joint))
    return full


def last_columns(x: Tensor, count: int) -> Tensor:
    """The last ``count`` of the (N, F) columns, dense."""
    if not is_sparse(x):
        return x[:, x.size(1) - count :]
    chosen = torch.zeros(x.size(1), count, dtype=x.dtype)
    chosen[x.size(1) - count :].fill_diagonal_(1)
    return product(x, chosen)


def _joint(x: Tensor, count: int, nodes: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """The places of x with ``count`` more columns, and where x's own entries and those of the columns stand there."""
    rows, indptr = x.size(0), x.crow_indices()
    before = torch.arange(rows + 1) * count
    own = torch.arange(len(x.values())) + before[:-1].repeat_interleave(indptr.diff())
    added = (indptr[1:] + before[:-1]).unsqueeze(1) + torch.arange(count)
    columns, names = torch.empty(2, len(own) + added.numel(), dtype=torch.int64)
    columns[own], columns[added] = x.col_indices(), x.size(1) + torch.arange(count)
    known = places_of(x)
    names[own] = torch.arange(len(own)) if known is None else known
    names[added] = ADDED + (torch.arange(rows) if nodes is None else nodes).unsqueeze(1) * count + torch.arange(count)
    joint = _made(indptr + before, columns, torch.zeros(len(columns), dtype=x.dtype), (rows, x.size(1) + count))
    setattr(joint, PLACES, names)
    return joint, own, added.flatten()


def select_rows(x: Tensor, rows: Tensor) -> Tensor:
    """Like ``x[rows]``, sparse where x is."""
    if not is_sparse(x):
        return x[rows]
    indptr, places = entry_places(x.crow_indices(), rows)
    chosen = _made(indptr, x.col_indices()[places], x.values()[places], (len(rows), x.size(1)))
    setattr(chosen, PLACES, places)
    return chosen


def entry_places(indptr: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """Where the entries of some rows begin among themselves, and where each of them stands among all."""
    counts = indptr.diff()[rows]
    return torch.cat([counts.new_zeros(1), counts.cumsum(0)]), positions(indptr[rows], counts)


def sparse_part(x: Tensor, first_entry: Tensor) -> Tensor:
    """(N, F) dense rows as sparse ones; entry ``first_entry[i]`` of the whole is the first of row i."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        part = x.to_sparse_csr()
    setattr(part, PLACES, positions(first_entry, part.crow_indices().diff()))
    return part


def positions(starts: Tensor, counts: Tensor) -> Tensor:
    """The positions from each start on, as many as counted, one run behind the other."""
    begun = counts.cumsum(0) - counts
    return torch.repeat_interleave(starts - begun, counts) + torch.arange(int(counts.sum()))


def places_of(x: Tensor) -> Tensor | None:
    """Names of entries: where those of selected rows were among those of all rows; None where nothing was selected."""
    places: Tensor | None = getattr(x, PLACES, None)
    return places


def dense(x: Tensor) -> Tensor:
    return x.to_dense() if is_sparse(x) else x


def _rows(x: Tensor) -> Graph:
    """Who has an entry in which row; kept with the tensor, as building it costs more than a product."""
    graph = getattr(x, STRUCTURE, None)
    if graph is None:
        rows = torch.repeat_interleave(torch.arange(x.size(0)), x.crow_indices().diff())
        graph = Graph(torch.stack([x.col_indices(), rows]), size=(x.size(1), x.size(0)))
        setattr(x, STRUCTURE, graph)
    return graph


def _weights(x: Tensor) -> Tensor:
    """(E, 1) the entries in the order of their graph; one tensor for all products with x, which is sorted once."""
    known: tuple[int, Tensor] | None = getattr(x, WEIGHTS, None)
    if known is not None and known[0] == x._version:
        return known[1]
    weights = x.values().index_select(0, _rows(x).order).unsqueeze(1)
    if not weights.requires_grad and not torch.compiler.is_compiling():
        setattr(x, WEIGHTS, (x._version, weights))
    return weights


def _made(indptr: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, ...]) -> Tensor:
    return torch.sparse_csr_tensor(indptr, columns, values, shape, check_invariants=False)
