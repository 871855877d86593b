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

DENSEST = 0.05  # share of entries up to which a sparse product is faster than a dense one
NARROWEST = 32  # columns
STRUCTURE, PLACES = "_agdn_structure", "_agdn_places"


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
    graph, values = _rows(x), x.values()
    return propagate(weight.unsqueeze(1), values[graph.order].unsqueeze(1), graph).squeeze(1)


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
    """Where the entries of selected rows were among those of all rows; None where nothing was selected."""
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


def _made(indptr: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, ...]) -> Tensor:
    return torch.sparse_csr_tensor(indptr, columns, values, shape, check_invariants=False)
