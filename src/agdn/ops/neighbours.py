"""Sampled neighbourhoods of seed nodes: shared by all seeds, or one for each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.backend import require_kernels
from agdn.ops.subgraphs import node_array, trusted_graph


def sample_neighbours(
    graph: Graph, seeds: Tensor, fanouts: Sequence[int], *, replace: bool = False, seed: int
) -> tuple[Graph, Tensor]:
    """The edges drawn hop by hop from the seeds, against their direction, and the nodes in the order of discovery.

    Each node draws once, in the hop after its discovery: ``fanouts[h]`` of the edges that lead into it, or all of
    them if it has no more or the fanout is -1. With replacement it draws exactly so many, and an edge that is drawn
    twice is there twice. The draws of a node depend on the seed and the node alone.
    """
    require_kernels("neighbour samples")
    nodes = node_array(graph, seeds, "sample_neighbours")
    from agdn.ops.kernels import scratch
    from agdn.ops.kernels.jit import chunks_of, use_threads
    from agdn.ops.kernels.neighbours import discover, draw, forget, number, quotas
    from agdn.ops.kernels.subgraphs import settle_rows

    use_threads()
    cpu = graph.to("cpu")
    indptr, indices, order = cpu.indptr.numpy(), cpu.indices.numpy(), cpu.order.numpy()
    all_offsets, all_edges, all_sources = [np.zeros(1, np.int64)], [order[:0]], [indices[:0]]
    expanded, drawn = 0, 0
    with scratch.places(cpu.num_nodes, indices.dtype) as (place,):
        if number(nodes, place) != len(nodes):
            raise ValueError("sample_neighbours: a seed is repeated; give each node once")
        for fanout in fanouts:
            frontier, known = nodes[expanded:], len(nodes)
            offsets = np.empty(len(frontier) + 1, np.int64)
            quotas(frontier, indptr, fanout, replace, offsets)
            total = int(offsets[-1])
            edges, sources = np.empty(total, order.dtype), np.empty(total, indices.dtype)
            draw(chunks_of(offsets), frontier, offsets, indptr, indices, fanout, replace, seed, edges, sources,
                 work=total)  # fmt: skip
            found = np.empty(min(known + total, cpu.num_nodes) + 1, indices.dtype)
            found[:known] = nodes
            nodes, expanded = found[: discover(sources, place, found, known)], known
            all_offsets.append(offsets[1:] + drawn)
            all_edges.append(edges)
            all_sources.append(sources)
            drawn += total
        forget(nodes, place)
    all_offsets.append(np.full(len(nodes) - expanded, drawn))
    rows, edges, sources = (np.concatenate(parts) for parts in (all_offsets, all_edges, all_sources))
    origin = np.empty(drawn, order.dtype)
    settle_rows(chunks_of(rows), rows, edges, order, sources, origin, work=drawn)
    return trusted_graph(rows, sources, origin).to(graph.device), torch.from_numpy(nodes).to(graph.device)


def sample_egos(
    graph: Graph, seeds: Tensor, fanouts: Sequence[int], *, replace: bool = False, seed: int
) -> tuple[Graph, Tensor]:
    """For every seed the subgraph induced by its own sampled neighbourhood, all of them as one disjoint union.

    The seeds come first, then the other nodes of each neighbourhood. Neighbours are drawn as in
    :func:`sample_neighbours`, by each seed for itself: what one gets does not depend on the other seeds.
    """
    require_kernels("neighbour samples")
    roots = node_array(graph, seeds, "sample_egos")
    from agdn.ops.kernels import scratch
    from agdn.ops.kernels.egos import measure, write
    from agdn.ops.kernels.jit import use_threads

    use_threads()
    cpu = graph.to("cpu")
    indptr, indices, order = cpu.indptr.numpy(), cpu.indices.numpy(), cpu.order.numpy()
    pieces = np.linspace(0, len(roots), torch.get_num_threads() + 1).astype(np.int64)
    hops, sizes = np.array(fanouts, np.int64), np.empty((len(roots), 3), np.int64)
    with scratch.places(cpu.num_nodes, indices.dtype, len(pieces) - 1) as places:
        measure(pieces, roots, seed, hops, replace, indptr, indices, places, sizes)
        offsets = np.concatenate([np.zeros((1, 3), np.int64), np.cumsum(sizes, axis=0)])
        offsets[:, 0] += len(roots)
        offsets[:, 2] += offsets[-1, 1]
        num_nodes, num_edges = int(offsets[-1, 0]), int(offsets[-1, 2])
        nodes, rows = np.empty(num_nodes, indices.dtype), np.zeros(num_nodes + 1, np.int64)
        sources, origin = np.empty(num_edges, indices.dtype), np.empty(num_edges, order.dtype)
        write(pieces, roots, seed, hops, replace, indptr, indices, order, places, offsets, nodes, rows, sources,
              origin)  # fmt: skip
    return trusted_graph(rows, sources, origin).to(graph.device), torch.from_numpy(nodes).to(graph.device)
