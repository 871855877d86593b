"""How many test edges are found, the more the further one goes down the list of negatives."""

from __future__ import annotations

import numpy as np
import torch

from agdn.report.gather.link_answers import LinkAnswers
from agdn.tasks.link_metrics import HITS

MOST = 1000
POINTS = 60


def places(negatives: int) -> np.ndarray:
    """The K that are told, the denser the smaller: the same for every recipe, as far as there are negatives."""
    last = max(1, min(negatives, MOST))
    spread = np.rint(np.geomspace(1, MOST, POINTS)).astype(int)
    known = np.unique(np.concatenate([spread, HITS, [last]]))
    return known[known <= last]


def hits_by_k(asked: LinkAnswers) -> dict[int, float]:
    """Hits@K by K: among the negatives that serve all edges, or for each edge among its own."""
    own = asked.split.negatives_per_edge
    ks = places(len(asked.negative) if own is None else own)
    if own is None:
        best = asked.negative.topk(int(ks[-1])).values[torch.from_numpy(ks) - 1]  # (K,)
        not_above = torch.searchsorted(asked.positive.sort().values, best, right=True)
        shares = 1 - not_above.double() / len(asked.positive)
    else:
        ranks = asked.trained.task.reciprocal_ranks(asked.positive, asked.negative).sort().values
        worse = torch.searchsorted(ranks, 1 / torch.from_numpy(ks).double())
        shares = 1 - worse.double() / len(ranks)
    return dict(zip(ks.tolist(), shares.tolist(), strict=True))
