"""Seeds with a sampled neighbourhood: one for a whole batch (GraphSAGE), or one for each seed (ShaDow)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from torch import Tensor

from agdn.graph import Graph
from agdn.ops.neighbours import sample_egos, sample_neighbours
from agdn.sampling.batch import Batch
from agdn.sampling.seed_batches import SeedBatches


class Neighbourhood:
    """Edges drawn hop by hop around any nodes: what a step needs whose nodes are known only then.

    Args:
        fanouts, hops, replace: As of :class:`NeighbourSampler`.
    """

    def __init__(
        self, graph: Graph, fanouts: int | Sequence[int], *, hops: int | None = None, replace: bool = False
    ) -> None:
        self.graph, self.fanouts, self.replace = graph.to("cpu"), _each_hop(fanouts, hops), replace

    def around(self, nodes: Tensor, seed: int) -> Batch:
        """With different ``nodes`` as its seeds; the draws are fixed by ``seed``."""
        nodes = nodes.cpu().to(self.graph.indices.dtype)
        graph, all_nodes = sample_neighbours(self.graph, nodes, self.fanouts, replace=self.replace, seed=seed)
        return Batch(graph, all_nodes, len(nodes))


class _SeededSampler:
    """What both have in common."""

    _sample: ClassVar[Callable[..., tuple[Graph, Tensor]]]

    def __init__(
        self,
        graph: Graph,
        seeds: Tensor,
        fanouts: int | Sequence[int],
        *,
        batch_size: int,
        hops: int | None = None,
        replace: bool = False,
        shuffle: bool = True,
        seed: int = 0,
    ) -> None:
        self.graph, self.fanouts, self.replace = graph.to("cpu"), _each_hop(fanouts, hops), replace
        self._seeds = SeedBatches(self.graph, seeds, batch_size, shuffle=shuffle, seed=seed)

    def __len__(self) -> int:
        return len(self._seeds)

    def batch(self, epoch: int, index: int) -> Batch:
        seeds, seed = self._seeds.seeds_of(epoch, index), self._seeds.draws_of(epoch, index)
        graph, nodes = self._sample(self.graph, seeds, self.fanouts, replace=self.replace, seed=seed)
        return Batch(graph, nodes, len(seeds))


class NeighbourSampler(_SeededSampler):
    """Seeds, and the edges drawn hop by hop from them; other nodes stand in the order of their discovery.

    A network of L layers with K hops each looks L * K hops far: that many fanouts give each layer all that it can see.
    Each node draws once, in the hop after its discovery.

    Args:
        seeds: (S,) different node ids, or an (N,) mask.
        fanouts: For each hop from the seeds, how many of the edges into a node are drawn, -1 for all; or one number
            for all ``hops``.
        hops: How many, where ``fanouts`` is one number.
        batch_size: Seeds of a batch; the last one of an epoch may have fewer.
        replace: Draw with replacement: exactly as many edges as the fanout, of which some may be the same.
        shuffle: Put the seeds into a new order each epoch.
    """

    _sample = staticmethod(sample_neighbours)


class EgoSampler(_SeededSampler):
    """A small graph for each seed: the nodes drawn hop by hop from it, with all edges among them.

    The batch is their disjoint union: a node that several seeds have found is there several times, and a network
    however deep sees no more than the seed's own surroundings. Arguments are those of :class:`NeighbourSampler`.
    """

    _sample = staticmethod(sample_egos)


def _each_hop(fanouts: int | Sequence[int], hops: int | None) -> tuple[int, ...]:
    if isinstance(fanouts, int):
        if hops is None or hops < 0:
            raise ValueError(f"a single fanout needs the number of hops, 0 or more; got hops={hops}")
        fanouts = (fanouts,) * hops
    elif hops is not None and hops != len(fanouts):
        raise ValueError(f"{len(fanouts)} fanouts are for as many hops, but hops is {hops}")
    for fanout in fanouts:
        if fanout < -1:
            raise ValueError(f"a fanout is a number of edges, or -1 for all; got {fanout}")
    return tuple(fanouts)
