from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from agdn.report.gather.link_answers import LinkAnswers
from agdn.report.gather.link_degrees import GROUPS, SeedDegrees, by_degree, group_names, group_starts, of_seed

Asked = Callable[..., LinkAnswers]


def test_groups_are_alike_in_size() -> None:
    degrees = np.arange(700)
    starts = group_starts(degrees, 7)
    assert starts.tolist() == [0, 100, 200, 300, 400, 500, 600]
    assert len(group_starts(degrees)) == GROUPS
    assert group_starts(np.array([1] * 90 + [2] * 5 + [50] * 5), 7).tolist() == [0]
    assert group_starts(np.array([1, 1, 1, 2, 2, 5, 9]), 7).tolist() == [0, 2, 5, 9]


def test_names_of_groups() -> None:
    assert group_names(np.array([0, 1, 3, 17])) == ("0", "1–2", "3–16", "17+")
    assert group_names(np.array([0])) == ("0+",)


def test_the_smaller_end_decides(asked: Asked) -> None:
    """Training edges 0-2, 0-3, 0-3 again, 1-2, a loop at 1: of (0, 1) it is node 1 with 1, of (2, 3) node 3 with 1."""
    edges = ((0, 0, 3, 1, 1), (2, 3, 0, 2, 1))
    found = asked([0.9, 0.1, 0.7], [0.8, 0.6], "hits@1", edges=edges)
    assert found.neighbours.in_degree[:4].tolist() == [2, 1, 2, 1]
    told = of_seed(found, np.array([0, 1, 2]))
    assert told.counts.tolist() == [1, 2, 0]  # (4, 5) has no neighbour at all
    assert told.sums.tolist() == [0, 1, 0]


def test_the_mean_over_edges_is_the_score(asked: Asked) -> None:
    found = asked([0.9, 0.1, 0.7, 0.65], [0.8, 0.6, 0.5], "rocauc", edges=((0, 2, 2, 4), (1, 3, 4, 5)))
    told = of_seed(found)
    assert told.sums.sum() / told.counts.sum() == pytest.approx((3 + 0 + 2 + 2) / 12)


def test_seeds_are_taken_together() -> None:
    starts = np.array([0, 4])
    first = SeedDegrees(starts, "found", np.array([1.0, 3.0]), np.array([2, 3]))
    second = SeedDegrees(starts, "found", np.array([1.0, 0.0]), np.array([4, 0]))
    told = by_degree([first, second])
    assert told.names == ("0–3", "4+")
    assert told.curve.mean == (0.375, 1.0)
    assert (told.curve.low, told.curve.high) == ((0.25, 1.0), (0.5, 1.0))
    assert told.curve.seeds == (2, 1)
    assert told.counts == (3.0, 1.5)
