"""The nodes in clusters with few edges between them, some clusters a batch (Cluster-GCN)."""

from __future__ import annotations

import warnings
from functools import cache

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.checks import check_seed
from agdn.ops.subgraphs import grouped, induced_subgraph
from agdn.sampling.batch import Batch, check_index
from agdn.sampling.streams import EachEpoch, derived

CLUSTERS, ORDER = 0, 1  # what the seed is used for
METIS_SEEDS = 2**31 - 1


class ClusterPartition:
    """METIS cuts the graph into ``parts`` clusters, once; a batch is the subgraph of ``batch_parts`` of them together.

    Which clusters meet in a batch is drawn anew each epoch. METIS comes with ``agdn[metis]``; without it the clusters
    are random ones of equal size, and a warning says so.

    Attributes:
        clusters: (N,) the cluster of each node.
    """

    def __init__(self, graph: Graph, parts: int, *, batch_parts: int = 1, seed: int = 0) -> None:
        if parts < 1:
            raise ValueError(f"a partition needs at least 1 part, got {parts}")
        if not 1 <= batch_parts <= parts:
            raise ValueError(f"batch_parts must lie in 1..{parts}, the clusters there are; got {batch_parts}")
        check_seed(seed)
        self.graph, self.parts, self.batch_parts, self.seed = graph.to("cpu"), parts, batch_parts, seed
        self.clusters = clusters(self.graph, parts, derived(seed, CLUSTERS))
        self._indptr, self._nodes = grouped(self.clusters, parts, self.graph.indices.dtype)
        self._order = EachEpoch(self._shuffled)

    def __len__(self) -> int:
        return -(-self.parts // self.batch_parts)

    def batch(self, epoch: int, index: int) -> Batch:
        check_index(epoch, index, len(self))
        own = self._order(epoch)[index * self.batch_parts : (index + 1) * self.batch_parts]
        nodes = torch.cat([self._nodes[self._indptr[part] : self._indptr[part + 1]] for part in own]).sort().values
        return Batch(induced_subgraph(self.graph, nodes), nodes, len(nodes))

    def _shuffled(self, epoch: int) -> list[int]:
        generator = torch.Generator().manual_seed(derived(self.seed, ORDER, epoch))
        order: list[int] = torch.randperm(self.parts, generator=generator).tolist()
        return order


def clusters(graph: Graph, parts: int, seed: int) -> Tensor:
    """(N,) int32. Where there is nothing to cut, any equal sizes are as good."""
    if parts == 1:
        return torch.zeros(graph.num_nodes, dtype=torch.int32)
    links = graph.undirected().without_self_loops()
    if links.num_edges == 0 or graph.num_nodes <= parts:
        return random_clusters(graph.num_nodes, parts, seed)
    try:
        import pymetis
    except ImportError:
        _warn_random()
        return random_clusters(graph.num_nodes, parts, seed)
    rows = pymetis.CSRAdjacency(links.indptr.numpy(), links.indices.numpy())
    _, membership = pymetis.part_graph(parts, rows, options=pymetis.Options(seed=seed % METIS_SEEDS))
    return torch.as_tensor(membership, dtype=torch.int32)


def random_clusters(num_nodes: int, parts: int, seed: int) -> Tensor:
    """Sizes that differ by one node at most."""
    order = torch.randperm(num_nodes, generator=torch.Generator().manual_seed(seed))
    return (torch.arange(num_nodes, dtype=torch.int32) % parts)[order]


@cache
def _warn_random() -> None:
    warnings.warn(
        "pymetis is not installed, so that clusters are random parts of equal size; pip install 'agdn[metis]'",
        UserWarning,
        stacklevel=4,
    )
