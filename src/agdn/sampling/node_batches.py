"""Nodes without their surroundings, for models that have propagated before they learn."""

from __future__ import annotations

from torch import Tensor

from agdn.graph import Graph
from agdn.sampling.batch import Batch
from agdn.sampling.seed_batches import SeedBatches


class NodeBatches(SeedBatches):
    """So many nodes a batch, in a new order each epoch; the graph of every batch is the big one.

    A single node left over joins the batch before it: a batch norm needs two.

    Args:
        seeds: (S,) different node ids, or an (N,) mask.
    """

    def __init__(
        self, graph: Graph, seeds: Tensor, batch_size: int = 1024, *, shuffle: bool = True, seed: int = 0
    ) -> None:
        super().__init__(graph, seeds, batch_size, shuffle=shuffle, seed=seed, smallest=min(2, batch_size))
        self.graph = graph

    def batch(self, epoch: int, index: int) -> Batch:
        """The nodes that are to be answered for."""
        nodes = self.seeds_of(epoch, index)
        return Batch(self.graph, nodes, len(nodes), in_whole=True)
