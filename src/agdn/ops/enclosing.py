"""Enclosing subgraphs of node pairs (SEAL): what surrounds both nodes, without the link that is asked about."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.backend import require_kernels
from agdn.ops.pairs import check_pairs
from agdn.ops.subgraphs import trusted_graph

Labels = Literal["drnl", "de", "de+"]
KINDS: dict[Labels, int] = {"drnl": 0, "de": 1, "de+": 2}


class Enclosed(NamedTuple):
    """The subgraphs of P pairs as one disjoint union with a self-loop on every node.

    Attributes:
        graph: Their edges.
        nodes: (n,) ids in the big graph; the two of the pair come first in each subgraph.
        ptr: (P + 1,) the nodes of pair p are ``ptr[p]:ptr[p + 1]``.
        labels: (n, 1) DRNL, or (n, 2) the distances to both nodes of the pair.
    """

    graph: Graph
    nodes: Tensor
    ptr: Tensor
    labels: Tensor


def enclosing_subgraphs(
    graph: Graph,
    pairs: Tensor,
    hops: int,
    *,
    most_per_hop: int | None = None,
    share_per_hop: float = 1.0,
    labels: Labels = "drnl",
    largest_label: int = 1000,
    seed: int = 0,
) -> Enclosed:
    """The nodes within ``hops`` steps of either node of a pair, with all edges among them but the pair's own link.

    DRNL numbers a node by its distances a and b to the two, each measured where the other is not there: 1 for the two
    themselves, 0 where there is no way, else 1 + min(a, b) + (d // 2)(d // 2 + d % 2 - 1) with d = a + b (Zhang and
    Chen, 2018). ``de`` are the distances themselves, measured where both are there, ``de+`` as DRNL measures them (Li
    et al., 2020).

    Args:
        graph: Symmetric, as :meth:`Graph.undirected` makes it.
        most_per_hop: So many new nodes a hop, drawn at random; None for all.
        share_per_hop: This share of the new nodes of a hop, rounded down, drawn at random.
        largest_label: Larger ones become this one.
        seed: Fixes the draws, together with the pair: its subgraph does not depend on the other pairs.
    """
    require_kernels("enclosing subgraphs")
    if labels not in KINDS:
        raise ValueError(f"labels are {', '.join(KINDS)}, not {labels!r}")
    if hops < 0 or (most_per_hop is not None and most_per_hop < 1):
        raise ValueError(f"hops must be 0 or more and most_per_hop 1 or more, got {hops} and {most_per_hop}")
    if not 0 < share_per_hop <= 1:
        raise ValueError(f"share_per_hop must be above 0 and at most 1, got {share_per_hop}")
    cpu, ends = graph.to("cpu"), pairs.cpu().contiguous()
    check_pairs(ends, (cpu.num_nodes, cpu.num_nodes))
    if bool((ends[0] == ends[1]).any()):
        raise ValueError(f"a node with itself is no pair: node {int(ends[0][ends[0] == ends[1]][0])}")
    from agdn.ops.kernels import scratch
    from agdn.ops.kernels.enclosing import measure, write
    from agdn.ops.kernels.jit import use_threads

    use_threads()
    indptr, indices, order = cpu.indptr.numpy(), cpu.indices.numpy(), cpu.order.numpy()
    count, most = ends.size(1), most_per_hop or 0
    pieces = np.linspace(0, count, 8 * torch.get_num_threads() + 1).astype(np.int64)
    sizes = np.empty((count, 2), np.int64)
    with scratch.places(cpu.num_nodes, indices.dtype, len(pieces) - 1) as places:
        measure(pieces, ends.numpy(), hops, most, share_per_hop, seed, indptr, indices, places, sizes)
        offsets = np.concatenate([np.zeros((1, 2), np.int64), np.cumsum(sizes, axis=0)])
        num_nodes, num_edges = (int(total) for total in offsets[-1])
        nodes, rows = np.empty(num_nodes, indices.dtype), np.zeros(num_nodes + 1, np.int64)
        sources, origin = np.empty(num_edges, indices.dtype), np.empty(num_edges, order.dtype)
        made = np.zeros((num_nodes, 1 if labels == "drnl" else 2), np.int64)
        write(pieces, ends.numpy(), hops, most, share_per_hop, seed, indptr, indices, order, places, offsets,
              KINDS[labels], largest_label, nodes, rows, sources, origin, made)  # fmt: skip
    union, device = trusted_graph(rows, sources, origin), pairs.device
    ids, ptr, numbers = (torch.from_numpy(array).to(device) for array in (nodes, offsets[:, 0].copy(), made))
    return Enclosed(union.to(device), ids, ptr, numbers)
