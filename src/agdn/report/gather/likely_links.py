"""The likeliest links of a whole graph that it does not have yet, with an amount of work that does not grow with it."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from agdn.experiments.new_links import Candidates, new_links
from agdn.experiments.trained_links import TrainedLinks
from agdn.models import HEURISTICS, PAIR_MODELS

# Nodes up to which all pairs are looked at, and nodes whose near ones are; of a larger graph as many, drawn by chance.
QUICK = (3_000, 20_000)
SLOW = (140, 100)  # where each pair is judged by a graph of its own


def likely_links(trained: TrainedLinks, most: int) -> tuple[Tensor, Tensor, str]:
    """(2, n) pairs that are in no part of the split, the likeliest first, their scores, and which were looked at."""
    dataset = trained.dataset
    nodes = dataset.graph.num_nodes
    every_pair, most_nodes = SLOW if trained.config.model["name"] in set(PAIR_MODELS) - set(HEURISTICS) else QUICK
    sources, among = None, ""
    if nodes > max(every_pair, most_nodes):
        drawn = np.sort(np.random.default_rng(0).choice(nodes, most_nodes, replace=False))
        sources, among = torch.from_numpy(drawn), f"of {most_nodes:,} nodes drawn by chance, "
    kind: Candidates = "all" if nodes <= every_pair else "near"
    source, target, score, said = new_links(trained.score, dataset, most, candidates=kind, sources=sources)
    pairs = torch.from_numpy(np.stack([source, target]))
    return *best_pairs(pairs, torch.from_numpy(score), most, nodes), f"{among}{said}"


def best_pairs(pairs: Tensor, scores: Tensor, most: int, nodes: int) -> tuple[Tensor, Tensor]:
    """The ``most`` pairs of the highest scores, each once whatever its direction; of equal ones the lower ids."""
    ends = pairs.numpy()
    order = np.lexsort((ends[1], ends[0], -scores.numpy()))
    keys = (ends.min(0) * nodes + ends.max(0))[order]
    first = np.sort(np.unique(keys, return_index=True)[1])[:most]
    kept = torch.from_numpy(order[first])
    return pairs[:, kept], scores[kept]
