"""The nodes dealt out at random: every edge inside a part is seen, once an epoch."""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.checks import check_seed
from agdn.ops.draws import uniform_draws
from agdn.ops.subgraphs import grouped, induced_subgraph
from agdn.sampling.batch import Batch, check_index
from agdn.sampling.streams import EachEpoch, derived


class RandomPartition:
    """Each node falls into one of ``parts`` parts, all alike likely and by itself; a batch is the subgraph of a part.

    Parts differ in size and may be empty. An edge survives with chance 1/parts. All batches of an epoch together take
    about one pass over the edges.

    Args:
        fixed: One partition for all epochs, as evaluation wants it, instead of a new one each.
    """

    def __init__(self, graph: Graph, parts: int, *, fixed: bool = False, seed: int = 0) -> None:
        if parts < 1:
            raise ValueError(f"a partition needs at least 1 part, got {parts}")
        check_seed(seed)
        self.graph, self.parts, self.fixed, self.seed = graph.to("cpu"), parts, fixed, seed
        self._dealt = EachEpoch(self._deal)

    def __len__(self) -> int:
        return self.parts

    def batch(self, epoch: int, index: int) -> Batch:
        check_index(epoch, index, self.parts)
        indptr, nodes = self._dealt(0 if self.fixed else epoch + 1)
        own = nodes[indptr[index] : indptr[index + 1]]
        return Batch(induced_subgraph(self.graph, own), own, len(own))

    def _deal(self, turn: int) -> tuple[Tensor, Tensor]:
        """The nodes by part; turn 0 is the fixed partition."""
        num_nodes = self.graph.num_nodes
        part = uniform_draws(num_nodes, self.parts, seed=derived(self.seed, turn), dtype=torch.int32)
        return grouped(part, self.parts, self.graph.indices.dtype)
