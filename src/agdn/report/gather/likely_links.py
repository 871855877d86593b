"""The likeliest links of a whole graph that it does not have yet, with an amount of work that does not grow with it."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from agdn.data.dataset import Dataset, EdgeSplit
from agdn.experiments.new_links import NEAR, new_links
from agdn.experiments.trained_links import TrainedLinks
from agdn.graph import Graph
from agdn.models import HEURISTICS, PAIR_MODELS
from agdn.ops.candidates import near_nodes

# Nodes up to which all pairs are looked at, and nodes whose near ones are; of a larger graph as many, drawn by chance.
QUICK = (3_000, 20_000)
SLOW = (140, 100)  # where each pair is judged by a graph of its own
BLOCK = 1 << 12  # nodes whose candidates are scored at once


def likely_links(trained: TrainedLinks, most: int) -> tuple[Tensor, Tensor, str]:
    """(2, n) pairs that are in no part of the split, the likeliest first, their scores, and which were looked at."""
    dataset = trained.dataset
    nodes = dataset.graph.num_nodes
    every_pair, most_nodes = SLOW if trained.config.model["name"] in set(PAIR_MODELS) - set(HEURISTICS) else QUICK
    if nodes <= every_pair:
        source, target, score, said = new_links(trained.score, dataset, most, candidates="all")
        return *best_pairs(torch.from_numpy(np.stack([source, target])), torch.from_numpy(score), most, nodes), said
    sources, said = torch.arange(nodes), f"for each node the {NEAR} nodes"
    if nodes > most_nodes:
        drawn = np.sort(np.random.default_rng(0).choice(nodes, most_nodes, replace=False))
        sources, said = torch.from_numpy(drawn), f"for each of {most_nodes:,} nodes drawn by chance the {NEAR} nodes"
    known = _known(dataset)
    pairs, scores = torch.empty((2, 0), dtype=torch.int64), torch.empty(0)
    for block in sources.split(BLOCK):
        near = near_nodes(known, block, NEAR)
        both = torch.cat([pairs, near], dim=1), torch.cat([scores, trained.score(near)])
        pairs, scores = best_pairs(*both, most, nodes)
    return pairs, scores, f"{said} two steps away that share the most neighbours with it"


def best_pairs(pairs: Tensor, scores: Tensor, most: int, nodes: int) -> tuple[Tensor, Tensor]:
    """The ``most`` pairs of the highest scores, each once whatever its direction; of equal ones the lower ids."""
    ends = pairs.numpy()
    order = np.lexsort((ends[1], ends[0], -scores.numpy()))
    keys = (ends.min(0) * nodes + ends.max(0))[order]
    first = np.sort(np.unique(keys, return_index=True)[1])[:most]
    kept = torch.from_numpy(order[first])
    return pairs[:, kept], scores[kept]


def _known(dataset: Dataset) -> Graph:
    """All edges of all parts, in both directions."""
    split = dataset.split
    assert isinstance(split, EdgeSplit), "a run that learnt links has a split of its edges"
    edges = torch.cat([dataset.graph.edge_index, split.train, split.valid, split.test], dim=1)
    return Graph(edges, dataset.graph.num_nodes).undirected()
