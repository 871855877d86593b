from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from agdn.report.gather.link_answers import LinkAnswers
from agdn.report.gather.link_hits import MOST, hits_by_k, places
from agdn.tasks.link_metrics import HITS, hits, hits_of

Asked = Callable[..., LinkAnswers]


def test_by_hand(asked: Asked) -> None:
    found = hits_by_k(asked([0.9, 0.5, 0.4, 0.1], [0.8, 0.5, 0.3], "hits@20"))
    assert found == {1: 0.25, 2: 0.25, 3: 0.75}


def test_every_k_is_the_score_of_that_name(asked: Asked) -> None:
    generator = torch.Generator().manual_seed(0)
    positive = (torch.randn(300, generator=generator) + 1).round(decimals=1).tolist()
    negative = torch.randn(2000, generator=generator).round(decimals=1).tolist()
    found = asked(positive, negative, "hits@50")
    told = hits_by_k(found)
    assert set(HITS) <= set(told)
    assert max(told) == MOST
    for k, share in told.items():
        assert share == pytest.approx(hits(found.positive, found.negative, k)), k


def test_ranks_among_negatives_of_its_own(asked: Asked) -> None:
    """Ranks 2, 1 and, for a tie with both, 2."""
    found = asked([0.6, 0.9, 0.5], [0.8, 0.5, 0.3, 0.2, 0.5, 0.5], "mrr", own=2)
    told = hits_by_k(found)
    assert told == pytest.approx({1: 1 / 3, 2: 1.0})
    ranks = found.trained.task.reciprocal_ranks(found.positive, found.negative)
    assert told == pytest.approx({k: hits_of(ranks, k) for k in (1, 2)})


def test_places_are_few_and_the_same_for_all() -> None:
    long, short = places(10**6), places(137)
    assert long[0] == short[0] == 1
    assert (long[-1], short[-1]) == (MOST, 137)
    assert len(long) < 70
    assert np.isin(short[:-1], long).all()
    assert places(1).tolist() == [1]
