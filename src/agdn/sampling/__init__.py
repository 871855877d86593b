"""Batches of structure from a big graph; features and labels are looked up by their node ids."""

from agdn.sampling.ahead import batches
from agdn.sampling.batch import Batch, Sampler
from agdn.sampling.cluster_partition import ClusterPartition
from agdn.sampling.neighbours import EgoSampler, Neighbourhood, NeighbourSampler
from agdn.sampling.node_batches import NodeBatches
from agdn.sampling.random_partition import RandomPartition
from agdn.sampling.saint import SaintEdge, SaintNode, SaintWalk

__all__ = [
    "Batch",
    "ClusterPartition",
    "EgoSampler",
    "NeighbourSampler",
    "Neighbourhood",
    "NodeBatches",
    "RandomPartition",
    "SaintEdge",
    "SaintNode",
    "SaintWalk",
    "Sampler",
    "batches",
]
