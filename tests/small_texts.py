"""A small graph of texts whose neighbours share topics, and how well vectors tell neighbours."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize

from agdn import Graph

NODES, TOPICS, WORDS, KINDS = 600, 12, 25, 6


def topic_texts(seed: int = 0) -> tuple[list[str], Graph, Tensor]:
    """Texts, a graph that joins nodes of one topic, and (2, M) edges of the same kind that it does not have.

    Most words of a text tell its kind, which has nothing to do with the edges but most with the words; few tell its
    topic.
    """
    random = np.random.default_rng(seed)
    topic = random.integers(TOPICS, size=NODES)
    texts = []
    for node in range(NODES):
        own = [f"topic{topic[node]}word{word}" for word in random.integers(WORDS, size=4)]
        kind = random.integers(KINDS)
        noise = [f"noise{kind}word{word}" for word in random.integers(20, size=12)]
        texts.append(" ".join(random.permutation(own + noise)))
    members = [np.flatnonzero(topic == one) for one in range(TOPICS)]
    drawn = (random.choice(members[topic[node]], 2, replace=False) for node in range(NODES) for _ in range(5))
    pairs = {tuple(sorted(pair)) for pair in drawn}
    edges = torch.tensor(np.array(sorted(pairs)).T)[:, torch.from_numpy(random.permutation(len(pairs)))]
    held_out = len(pairs) // 5
    return texts, Graph(edges[:, held_out:], NODES), edges[:, :held_out]


def mean_rank(x: Tensor, pairs: Tensor) -> float:
    """Of the true neighbour among all nodes by cosine, as a share: 0 is best, 0.5 is chance."""
    scores = normalize(x) @ normalize(x).T
    true = scores[pairs[0], pairs[1]].unsqueeze(1)
    return float((scores[pairs[0]] > true).double().mean())
