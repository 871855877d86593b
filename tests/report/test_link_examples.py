"""Pairs to look at are those of the run, told by the user's ids."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from agdn.experiments.load import load
from agdn.experiments.result import read_run
from agdn.experiments.trained_links import TrainedLinks
from agdn.report.gather.link_answers import LinkAnswers, link_answers
from agdn.report.gather.link_examples import MOST, _described, link_examples


@pytest.fixture(scope="module")
def answers(link_runs: Path) -> LinkAnswers:
    return link_answers(read_run(link_runs / "links" / "seed-0"))


@pytest.fixture(scope="module")
def model(link_runs: Path) -> TrainedLinks:
    found = load(link_runs / "links" / "seed-0")
    assert isinstance(found, TrainedLinks)
    return found


def neighbours(model: TrainedLinks) -> list[set[int]]:
    heard: list[set[int]] = [set() for _ in range(model.dataset.graph.num_nodes)]
    for u, v in model.dataset.graph.edge_index.t().tolist():
        if u != v:
            heard[u].add(v)
            heard[v].add(u)
    return heard


def test_new_links_are_those_that_the_model_names(answers: LinkAnswers, model: TrainedLinks) -> None:
    found = link_examples(answers)
    named = model.predict(MOST, candidates="all").columns
    best: dict[frozenset[int], float] = {}
    for source, target, score in zip(named["source"], named["target"], named["score"], strict=True):
        pair = frozenset((source, target))
        best[pair] = max(score, best.get(pair, -np.inf))
    assert [pair.score for pair in found.likely] == pytest.approx(sorted(best.values(), reverse=True)[:MOST])
    assert all(best[frozenset(map(int, pair.ends))] == pytest.approx(pair.score) for pair in found.likely)
    split = model.task.split
    parts = np.concatenate([part.numpy() for part in (split.train, split.valid, split.test)], axis=1)
    known = {frozenset(pair) for pair in parts.T.tolist()}
    assert not any(frozenset(map(int, pair.ends)) in known for pair in found.likely)


def test_false_alarms_and_misses_are_the_extremes_of_the_test_part(answers: LinkAnswers, model: TrainedLinks) -> None:
    found = link_examples(answers)
    split = model.task.split
    negative, positive = (model.score(pairs).tolist() for pairs in (split.test_negative, split.test))
    assert [pair.score for pair in found.alarms] == pytest.approx(sorted(negative, reverse=True)[:MOST])
    assert [pair.score for pair in found.misses] == pytest.approx(sorted(positive)[:MOST])
    worst = split.test[:, int(np.argmin(positive))].tolist()
    assert found.misses[0].ends == tuple(map(str, worst))


def test_degrees_and_common_neighbours_are_those_of_training_edges(answers: LinkAnswers, model: TrainedLinks) -> None:
    found, heard = link_examples(answers), neighbours(model)
    for pair in (*found.likely, *found.alarms, *found.misses):
        first, second = (heard[int(end)] for end in pair.ends)
        assert pair.degrees == (len(first), len(second))
        assert pair.common == len(first & second)


def test_a_pair_by_hand(asked: Callable[..., LinkAnswers]) -> None:
    """0 and 1 share 2 and 3; 0 has 4 too, in both directions, and a loop."""
    found = asked([0.9], [0.1], "mrr", edges=((0, 0, 0, 4, 2, 3, 0), (2, 3, 4, 0, 1, 1, 0)))
    (pair,) = _described(found, found.split.test, found.positive)
    assert pair.ends == ("0", "1")
    assert pair.degrees == (3, 2)
    assert pair.common == 2
