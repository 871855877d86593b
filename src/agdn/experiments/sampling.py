"""The ``sampling:`` section: training in pieces of the graph, and evaluation in parts of it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, NonNegativeInt, PositiveInt
from torch import Tensor

from agdn.experiments.section import Section
from agdn.graph import Graph
from agdn.sampling import (
    ClusterPartition,
    EgoSampler,
    NeighbourSampler,
    NodeBatches,
    RandomPartition,
    SaintEdge,
    SaintNode,
    SaintWalk,
    Sampler,
)
from agdn.sampling.streams import derived
from agdn.tasks.inputs import Inputs

TRAINING, EVALUATION = 0, 1  # what the seed is used for


class InPieces(Section):
    """What all have in common.

    Attributes:
        evaluation_parts: Evaluation goes through so many random parts, drawn once a run; 1 takes the whole graph.
        evaluation_views: So many such partitions, over which outputs are averaged.
    """

    evaluation_parts: PositiveInt = 1
    evaluation_views: PositiveInt = 1

    @abstractmethod
    def sampler(self, graph: Graph, train: Tensor, seed: int) -> Sampler:
        """For the training graph and the rows of its training nodes."""

    def views(self, graph: Graph, seed: int) -> tuple[Sampler, ...]:
        if self.evaluation_parts == 1:
            return ()
        seeds = (derived(seed, EVALUATION, view) for view in range(self.evaluation_views))
        return tuple(RandomPartition(graph, self.evaluation_parts, fixed=True, seed=own) for own in seeds)


class RandomParts(InPieces):
    """Every node falls into one part, anew each epoch.

    Attributes:
        parts: So many, each a batch.
    """

    name: Literal["random_partition"]
    parts: PositiveInt

    def sampler(self, graph: Graph, train: Tensor, seed: int) -> Sampler:
        return RandomPartition(graph, self.parts, seed=seed)


class Clusters(InPieces):
    """METIS clusters, which meet in new batches each epoch.

    Attributes:
        parts: Clusters of the graph.
        batch_parts: Clusters of a batch.
    """

    name: Literal["cluster_partition"]
    parts: PositiveInt
    batch_parts: PositiveInt = 1

    def sampler(self, graph: Graph, train: Tensor, seed: int) -> Sampler:
        return ClusterPartition(graph, self.parts, batch_parts=self.batch_parts, seed=seed)


class _Saint(InPieces):
    """What GraphSAINT's samplers have in common.

    Attributes:
        batches: Of an epoch.
        normalise: Weight nodes and edges by how often pre-sampled batches hold them.
        coverage: How often a node is to be in these on average.
    """

    batches: PositiveInt = 10
    normalise: bool = False
    coverage: PositiveInt = 50

    def _options(self, seed: int) -> dict[str, Any]:
        return {"batches": self.batches, "normalise": self.normalise, "coverage": self.coverage, "seed": seed}


class SaintWalks(_Saint):
    """GraphSAINT: the nodes on random walks.

    Attributes:
        roots: Walks of a batch.
        length: Steps of a walk.
    """

    name: Literal["saint_walk"]
    roots: PositiveInt
    length: NonNegativeInt = 3

    def sampler(self, graph: Graph, train: Tensor, seed: int) -> Sampler:
        return SaintWalk(graph, self.roots, self.length, **self._options(seed))


class SaintNodes(_Saint):
    """GraphSAINT: nodes drawn by their degree.

    Attributes:
        nodes: Draws of a batch.
    """

    name: Literal["saint_node"]
    nodes: PositiveInt

    def sampler(self, graph: Graph, train: Tensor, seed: int) -> Sampler:
        return SaintNode(graph, self.nodes, **self._options(seed))


class SaintEdges(_Saint):
    """GraphSAINT: both ends of drawn edges.

    Attributes:
        edges: Draws of a batch.
    """

    name: Literal["saint_edge"]
    edges: PositiveInt

    def sampler(self, graph: Graph, train: Tensor, seed: int) -> Sampler:
        return SaintEdge(graph, self.edges, **self._options(seed))


class _Seeded(InPieces):
    """What samplers around training nodes have in common.

    Attributes:
        fanouts: Edges into a node that are drawn, for each hop from the training nodes, -1 for all; or one number.
        hops: How many, where ``fanouts`` is one number: layers times hops let a model see all that it can.
        batch_size: Training nodes of a batch.
        replace: Draw with replacement.
    """

    fanouts: int | tuple[int, ...]
    hops: NonNegativeInt | None = None
    batch_size: PositiveInt = 1024
    replace: bool = False
    kind: ClassVar[type[NeighbourSampler | EgoSampler]]

    def sampler(self, graph: Graph, train: Tensor, seed: int) -> Sampler:
        return self.kind(
            graph, train, self.fanouts, hops=self.hops, batch_size=self.batch_size, replace=self.replace, seed=seed
        )


class Neighbours(_Seeded):
    """Training nodes, and the edges drawn hop by hop from them."""

    kind: ClassVar[type[NeighbourSampler | EgoSampler]] = NeighbourSampler
    name: Literal["neighbours"]


class Egos(_Seeded):
    """A small graph of its own around each training node."""

    kind: ClassVar[type[NeighbourSampler | EgoSampler]] = EgoSampler
    name: Literal["egos"]


class Nodes(InPieces):
    """Training nodes alone, for models that propagate before they learn: a step costs what its nodes cost.

    Attributes:
        batch_size: Training nodes of a batch.
    """

    name: Literal["nodes"]
    batch_size: PositiveInt = 1024

    def sampler(self, graph: Graph, train: Tensor, seed: int) -> Sampler:
        return NodeBatches(graph, train, self.batch_size, seed=seed)


class Auto(Section):
    """The whole graph where a step fits into memory, else random parts that do; a run keeps what it began with."""

    name: Literal["auto"]


Sampling = Annotated[
    Auto | RandomParts | Clusters | SaintWalks | SaintNodes | SaintEdges | Neighbours | Egos | Nodes,
    Field(discriminator="name"),
]


def in_pieces(inputs: Inputs, options: InPieces | None, train: Tensor, seed: int) -> Inputs:
    """The inputs with what the section asks for; ``train`` are the global ids of the training nodes."""
    if options is None:
        return inputs
    rows = inputs.train.rows(train.to(inputs.train.graph.device))
    sampler = options.sampler(inputs.train.graph, rows, derived(seed, TRAINING))
    return replace(inputs, sampler=sampler, views=options.views(inputs.whole.graph, seed))
