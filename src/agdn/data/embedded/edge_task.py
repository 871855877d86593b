"""A small set of the form of ogbn-proteins: several yes/no labels a node, told by the features of its edges alone."""

from __future__ import annotations

import numpy as np
import torch

from agdn.data.dataset import Dataset
from agdn.data.errors import DataError
from agdn.data.pairs import both_ways, directed_graph
from agdn.data.splits import random_split


def edge_task(
    *,
    num_nodes: int = 2000,
    degree: int = 12,
    edge_features: int = 8,
    num_tasks: int = 6,
    noise: float = 0.5,
    seed: int = 0,
) -> Dataset:
    """A random graph without node features; a label asks whether a mix of the mean incoming edge features is high.

    An edge's features, equal both ways and in 0..1, come from hidden traits of its two ends that the structure does
    not depend on: from the edge features labels can be read off, from the structure they cannot be guessed.

    Args:
        num_nodes: Number of nodes.
        degree: Links of a node, on average.
        edge_features: Width of the edges' features.
        num_tasks: Yes/no labels a node.
        noise: Spread of what hides the traits in an edge's features.
    """
    if num_nodes < 3 or degree < 1 or min(edge_features, num_tasks) < 1:
        raise DataError("edge_task needs three nodes or more, and a degree, edge features and tasks of 1 or more")
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.integers(num_nodes, size=(num_nodes * degree // 2, 2)), axis=1)
    # A path through all nodes in random order leaves none without an edge.
    order = rng.permutation(num_nodes)
    ends = np.concatenate([ends, np.sort(np.stack([order[:-1], order[1:]], axis=1), axis=1)])
    pairs = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    traits = rng.normal(size=(num_nodes, edge_features))
    mixed = traits[pairs].sum(axis=1) / np.sqrt(2) + noise * rng.normal(size=(len(pairs), edge_features))
    edge_attr = np.repeat(1 / (1 + np.exp(-mixed)), 2, axis=0).astype(np.float32)
    edges = both_ways(pairs)

    incoming = np.zeros((num_nodes, edge_features))
    np.add.at(incoming, edges[:, 1], edge_attr)
    mean = incoming / np.bincount(edges[:, 1], minlength=num_nodes)[:, None]
    scores = mean @ rng.normal(size=(edge_features, num_tasks))
    return Dataset(
        name="edge-task",
        graph=directed_graph(edges, num_nodes),
        target="multilabel",
        metric="rocauc",
        splits=(random_split(num_nodes, seed=seed),),
        y=torch.from_numpy((scores > np.median(scores, axis=0)).astype(np.float32)),
        edge_attr=torch.from_numpy(edge_attr),
    )
