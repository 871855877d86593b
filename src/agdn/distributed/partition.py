"""Which rank owns which node: clusters with few edges between them, or at random."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.sampling.cluster_partition import clusters, random_clusters

Partition = Literal["metis", "random"]


def owners(graph: Graph, parts: int, how: Partition = "metis", *, seed: int = 0) -> Tensor:
    """(N,) int64 the part of each node, the same for the same arguments.

    METIS makes parts of about equal size with few edges between them; it comes with ``agdn[metis]``.
    """
    if parts < 1:
        raise ValueError(f"a partition needs at least 1 part, got {parts}")
    if how not in ("metis", "random"):
        raise ValueError(f"a partition is made by metis or at random, not by {how!r}")
    if how == "random":
        return random_clusters(graph.num_nodes, parts, seed).long()
    try:
        import pymetis  # noqa: F401
    except ImportError:
        raise ValueError(
            "a METIS partition needs pymetis: pip install 'agdn[metis]', or set distributed.partition=random"
        ) from None
    return clusters(graph, parts, seed).long()


def crossing(graph: Graph, owner: Tensor) -> int:
    """Edges whose ends have different owners."""
    return int((owner[graph.indices.long()] != owner[graph.targets.long()]).sum()) if graph.num_edges else 0


def halo_sizes(graph: Graph, owner: Tensor, parts: int) -> Tensor:
    """(parts,) nodes of other parts that each part's edges come from."""
    source, target = owner[graph.indices.long()], owner[graph.targets.long()]
    pairs = torch.stack([target, graph.indices.long()])[:, source != target].unique(dim=1)
    return torch.bincount(pairs[0], minlength=parts)
