"""What a sampler gives, and what a sampler is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import torch
from torch import Tensor

from agdn.graph import Graph


@dataclass(frozen=True, eq=False)
class Batch:
    """A piece of a graph: structure alone, features and labels are looked up by its nodes.

    Attributes:
        graph: The edges of the piece; ``graph.carry(edge_attr)`` brings the big graph's edge attributes along.
        nodes: (n,) ids in the big graph: ``x[batch.nodes]`` are the features. Seeds come first.
        num_seeds: How many nodes the batch is there for; the others are their surroundings.
        node_weight: (n,) of each node's loss, whose sum then estimates the mean over all nodes of the graph.
        edge_weight: (E,) in the edge order of ``graph``: with these weights sums over neighbours are unbiased.
        in_whole: ``graph`` is the big graph itself, and ``nodes`` are those of it that are asked about.
    """

    graph: Graph
    nodes: Tensor
    num_seeds: int
    node_weight: Tensor | None = None
    edge_weight: Tensor | None = None
    in_whole: bool = False

    @property
    def seeds(self) -> Tensor:
        """(num_seeds,) ids of the nodes that the batch is there for."""
        return self.nodes[: self.num_seeds]

    def to(self, device: torch.device | str) -> Batch:
        """The same batch with its tensors on another device."""
        node_weight, edge_weight = (
            None if weight is None else weight.to(device) for weight in (self.node_weight, self.edge_weight)
        )
        return replace(
            self,
            graph=self.graph.to(device),
            nodes=self.nodes.to(device),
            node_weight=node_weight,
            edge_weight=edge_weight,
        )


class Sampler(Protocol):
    """Batches by number: ``batch(epoch, index)`` is a function of its arguments and of what the sampler was made from.

    So they can be made in any order, ahead of time, by several processes, and again after an interruption.
    """

    def __len__(self) -> int:
        """Batches of an epoch."""

    def batch(self, epoch: int, index: int) -> Batch: ...


def check_index(epoch: int, index: int, count: int) -> None:
    if epoch < 0:
        raise ValueError(f"epochs are numbered from 0, got epoch {epoch}")
    if not 0 <= index < count:
        raise ValueError(f"there is no batch {index}: an epoch has {count} batches, numbered from 0")
