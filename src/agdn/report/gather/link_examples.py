"""Pairs to look at: the likeliest new links, the worst false alarms and the worst misses."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from agdn.report.gather.likely_links import best_pairs, likely_links
from agdn.report.gather.link_answers import LinkAnswers

MOST = 20
REPEATS = 64  # times as many pairs are looked at, since negatives may name a pair more than once


@dataclass(frozen=True)
class Pair:
    """Two nodes by the user's ids; degrees and common neighbours are those of training edges."""

    ends: tuple[str, str]
    score: float
    degrees: tuple[int, int]
    common: int


@dataclass(frozen=True)
class LinkExamples:
    """Of one seed, each at most so many, the most telling first.

    Attributes:
        likely: Pairs that are in no part of the split.
        looked_at: Among which pairs these were found.
        alarms: The likeliest test negatives.
        misses: The least likely test edges.
    """

    likely: list[Pair]
    looked_at: str
    alarms: list[Pair]
    misses: list[Pair]
    seed: int


def link_examples(asked: LinkAnswers, most: int = MOST) -> LinkExamples:
    pairs, scores, looked_at = likely_links(asked.trained, most)
    split = asked.split
    misses, lowest = _extreme(asked, split.test, -asked.positive, most)
    return LinkExamples(
        _described(asked, pairs, scores),
        looked_at,
        _described(asked, *_extreme(asked, split.test_negative, asked.negative, most)),
        _described(asked, misses, -lowest),
        asked.run.seed,
    )


def _extreme(asked: LinkAnswers, pairs: Tensor, scores: Tensor, most: int) -> tuple[Tensor, Tensor]:
    top = scores.topk(min(len(scores), REPEATS * most)).indices
    return best_pairs(pairs[:, top], scores[top], most, asked.dataset.graph.num_nodes)


def _described(asked: LinkAnswers, pairs: Tensor, scores: Tensor) -> list[Pair]:
    found = []
    for (first, second), score in zip(pairs.t().tolist(), scores.tolist(), strict=True):
        heard = [_heard(asked, node) for node in (first, second)]
        found.append(
            Pair(
                (str(asked.node_id(first)), str(asked.node_id(second))),
                score,
                (len(heard[0]), len(heard[1])),
                len(heard[0] & heard[1]),
            )
        )
    return found


def _heard(asked: LinkAnswers, node: int) -> set[int]:
    graph = asked.neighbours
    return set(graph.indices[int(graph.indptr[node]) : int(graph.indptr[node + 1])].tolist())
