"""The order in which a hop visits its rows.

A row's neighbours lie all over memory. Rows that share neighbours, visited one after the other, find them in the
cache, so the route goes from community to community. It changes no row's sum, only the time: about a fifth less for a
hop of ogbn-arxiv with rows of 768 floats.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from agdn.graph import Graph

CACHE_BYTES = 1 << 25  # a table of rows that is not much larger is in the cache anyway
WIDE_ROW_BYTES = 1 << 10  # shorter rows arrive in time when they are asked for ahead
WORTHWHILE_EDGES = 1 << 18

_routes: WeakKeyDictionary[Graph, Tensor] = WeakKeyDictionary()


def route(graph: Graph, table: Tensor) -> Tensor | None:
    """(N,) node ids in the order to visit them, None for the natural one; worked out once a graph.

    Args:
        graph: Edges kept of another graph take that graph's route.
        table: The rows that the hop reads.
    """
    full = graph.full
    if (
        torch.compiler.is_compiling()
        or full.num_src != full.num_dst
        or full.num_edges < WORTHWHILE_EDGES
        or table.nbytes < max(CACHE_BYTES, WIDE_ROW_BYTES * len(table))
    ):
        return None
    if full not in _routes:
        from agdn.ops.kernels.communities import by_community

        _routes[full] = torch.from_numpy(by_community(full.indptr.numpy(), full.indices.numpy()))
    return _routes[full]
