"""What the ``data:`` section does to edges, for a traced program: no shape may depend on what the edges are.

An edge that goes away cannot be cut out there. It becomes a loop on one node more than there are, which no other edge
touches; that node is left out of the result.
"""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.experiments.config import Data


def prepared_edges(
    edge_index: Tensor, edge_attr: Tensor | None, edge_weight: Tensor | None, num_nodes: int, data: Data
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """As :func:`agdn.experiments.prepare.with_edges`, over ``num_nodes + 1`` nodes."""
    index, attr, weight = edge_index, edge_attr, edge_weight
    if data.reverse_edges != "none":
        index = torch.cat([index, _moved(index.flip(0), index[0] == index[1], num_nodes)], dim=1)
        attr = None if attr is None else torch.cat([attr, attr])
        weight = None if weight is None else torch.cat([weight, weight])
        if data.reverse_edges == "merge":
            index = _moved(index, _repeated(index, num_nodes), num_nodes)
    if data.self_loops != "keep":
        index = _moved(index, index[0] == index[1], num_nodes)
    if data.self_loops == "add":
        index = torch.cat([index, torch.arange(num_nodes).expand(2, -1)], dim=1)
        attr = None if attr is None else torch.cat([attr, attr.new_zeros(num_nodes, attr.size(1))])
        weight = None if weight is None else torch.cat([weight, weight.new_ones(num_nodes)])
    return index, attr, weight


def _moved(index: Tensor, gone: Tensor, to: int) -> Tensor:
    return index + gone * (to - index)


def _repeated(index: Tensor, num_nodes: int) -> Tensor:
    """(E,) whether an edge was listed before."""
    key = index[1] * (num_nodes + 1) + index[0]
    order = torch.argsort(key, stable=True)
    ordered = key[order]
    again = ordered == torch.cat([ordered[:1] - 1, ordered[:-1]])
    return torch.zeros_like(again).index_copy(0, order, again)
