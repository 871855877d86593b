"""The mean merit of the test edges is their official score."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agdn.report.gather.link_answers import LinkAnswers
from agdn.report.gather.link_merit import merit, nth_best, official_k, threshold
from agdn.tasks.link_metrics import hits, link_rocauc

Asked = Callable[..., LinkAnswers]
EDGES, OTHERS = [0.9, 0.5, 0.4, 0.1], [0.8, 0.5, 0.3, 0.2]


def test_found_above_the_kth_best_negative(asked: Asked) -> None:
    """The third best negative is 0.3."""
    found = asked(EDGES, OTHERS, "hits@3")
    assert threshold(found) == pytest.approx(0.3)
    assert merit(found).values.tolist() == [1, 1, 1, 0]
    assert merit(found).name == "above the 3rd best negative"
    assert float(merit(found).values.mean()) == hits(found.positive, found.negative, 3)


def test_a_tie_is_no_success(asked: Asked) -> None:
    found = asked([0.8, 0.9], OTHERS, "hits@1")
    assert merit(found).values.tolist() == [0, 1]


def test_with_fewer_negatives_than_k_all_are_found(asked: Asked) -> None:
    found = asked(EDGES, OTHERS, "hits@20")
    assert threshold(found) is None
    assert merit(found).values.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("metric", ["rocauc", "average_precision"])
def test_the_chance_to_outrank_a_negative(asked: Asked, metric: str) -> None:
    """0.5 outranks two and ties with one."""
    found = asked(EDGES, OTHERS, metric)
    assert threshold(found) is None
    assert merit(found).values.tolist() == [1, 2.5 / 4, 0.5, 0]
    assert float(merit(found).values.mean()) == pytest.approx(link_rocauc(found.positive, found.negative))


def test_reciprocal_ranks(asked: Asked) -> None:
    shared = asked([0.9, 0.4], OTHERS, "mrr")
    assert merit(shared).values.tolist() == pytest.approx([1, 1 / 3])
    own = asked([0.6, 0.25], OTHERS, "mrr", own=2)  # among 0.8, 0.5 and among 0.3, 0.2
    assert merit(own).values.tolist() == pytest.approx([1 / 2, 1 / 2])


def test_hits_among_negatives_of_its_own(asked: Asked) -> None:
    found = asked([0.6, 0.35], OTHERS, "hits@1", own=2)
    assert threshold(found) is None
    assert merit(found).values.tolist() == [0, 1]
    assert merit(found).name == "rank 1 or better"


def test_names() -> None:
    assert [official_k(metric) for metric in ("hits@50", "mrr")] == [50, None]
    assert [nth_best(k) for k in (1, 3, 20)] == ["best negative", "3rd best negative", "20th best negative"]
