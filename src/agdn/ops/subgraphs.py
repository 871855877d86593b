"""Parts of a graph that are made in the work of the part: node-induced subgraphs, nodes without repeats, groups."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.backend import require_kernels


def induced_subgraph(graph: Graph, nodes: Tensor) -> Graph:
    """The graph that :meth:`Graph.subgraph` gives, made from the rows of ``nodes`` (n,) instead of from all edges.

    ``nodes[i]`` becomes node i. The edges' own order, by target and source, is the caller's order too; ``origin`` names
    each edge's position in the caller's order of ``graph``.
    """
    require_kernels("induced subgraphs")
    ids = node_array(graph, nodes, "induced_subgraph")
    from agdn.ops.kernels import scratch
    from agdn.ops.kernels.jit import chunks_of, use_threads
    from agdn.ops.kernels.neighbours import quotas
    from agdn.ops.kernels.subgraphs import mark, select, settle, unmark

    use_threads()
    cpu = graph.to("cpu")
    indptr, indices, order = cpu.indptr.numpy(), cpu.indices.numpy(), cpu.order.numpy()
    offsets, sizes = np.empty(len(ids) + 1, np.int64), np.empty(len(ids), np.int64)
    quotas(ids, indptr, -1, False, offsets)
    work, chunks = int(offsets[-1]), chunks_of(offsets)
    starts, edges = offsets[chunks], np.empty(work, order.dtype)
    with scratch.places(cpu.num_nodes, indices.dtype) as (place,), scratch.members(cpu.num_nodes) as members:
        different, ascending = mark(ids, place, members)
        if different != len(ids):
            raise ValueError("induced_subgraph: a node id is repeated; give each node once")
        select(chunks, starts, ids, indptr, indices, members, edges, sizes, work=work)
        rows = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        sources, origin = np.empty(rows[-1], indices.dtype), np.empty(rows[-1], order.dtype)
        settle(chunks, starts, rows, edges, indices, order, place, ascending, sources, origin, work=len(sources))
        unmark(ids, place, members)
    return trusted_graph(rows, sources, origin).to(graph.device)


def different_nodes(nodes: Tensor, num_nodes: int) -> Tensor:
    """Each of ``nodes`` once, ascending; the ids are below ``num_nodes``."""
    require_kernels("lists of nodes")
    from agdn.ops.kernels import scratch
    from agdn.ops.kernels.subgraphs import different

    ids = nodes.reshape(-1).numpy()
    out = np.empty(min(len(ids), num_nodes), ids.dtype)
    with scratch.members(num_nodes) as members:
        count = different(ids, members, out)
    return torch.from_numpy(out[:count])


def grouped(group: Tensor, num_groups: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Positions by group, ascending in each: group g holds ``positions[indptr[g]:indptr[g + 1]]``."""
    require_kernels("groups of nodes")
    from agdn.ops.kernels.row_table import places_by_node

    indptr, positions = torch.empty(num_groups + 2, dtype=torch.int64), torch.empty(len(group), dtype=dtype)
    places_by_node(group.numpy(), indptr.numpy(), positions.numpy())
    return indptr[:-1], positions


def node_array(graph: Graph, nodes: Tensor, where: str) -> np.ndarray:
    """The ids as the kernels take them, once they are known to be nodes of the graph."""
    if nodes.dim() != 1 or nodes.is_floating_point() or nodes.dtype == torch.bool:
        raise ValueError(f"{where}: nodes must be one row of ids, got {nodes.dtype} of shape {tuple(nodes.shape)}")
    if len(nodes) and not 0 <= int(nodes.min()) <= int(nodes.max()) < graph.num_nodes:
        span = f"{int(nodes.min())}..{int(nodes.max())}"
        raise ValueError(f"{where}: node ids must lie in 0..{graph.num_nodes - 1}, got {span}")
    return np.ascontiguousarray(nodes.to("cpu", graph.indices.dtype).numpy())


def trusted_graph(indptr: np.ndarray, indices: np.ndarray, origin: np.ndarray) -> Graph:
    return Graph._trusted(torch.from_numpy(indptr), torch.from_numpy(indices), torch.from_numpy(origin))
