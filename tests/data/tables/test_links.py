"""Edge splits keep both directions of a pair together and hold nothing out that carries messages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agdn.data.errors import DataError
from agdn.data.tables import links


def unordered(pairs: np.ndarray) -> set[tuple[int, int]]:
    return {(min(a, b), max(a, b)) for a, b in np.asarray(pairs).T.tolist()}


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), directed=st.booleans(), timed=st.booleans())
def test_parts_share_no_pair(seed: int, directed: bool, timed: bool) -> None:
    generator = np.random.default_rng(seed)
    ends = generator.integers(0, 30, size=(2, 120))
    ends = ends[:, ends[0] != ends[1]]
    ends = np.concatenate([ends, ends[::-1, :40]], axis=1)
    time = generator.random(ends.shape[1]) if timed else None
    split, train = links.link_split(ends, 30, (0.6, 0.2, 0.2), seed=seed, directed=directed, time=time)
    parts = [unordered(part) for part in (split.train, split.valid, split.test)]
    assert set.union(*parts) == unordered(ends)
    assert sum(map(len, parts)) == len(unordered(ends))
    assert unordered(ends[:, train]) == parts[0]
    false = [unordered(part) for part in (split.valid_negative, split.test_negative)]
    assert not (false[0] | false[1]) & unordered(ends)
    assert not false[0] & false[1]
    assert split.valid_negative.shape == split.valid.shape
    assert all(low != high for low, high in false[0] | false[1])
    listed = {tuple(pair) for pair in ends.T.tolist()}
    assert all(tuple(pair) in listed for pair in split.valid.T.tolist())


def test_undirected_positives_stand_once() -> None:
    ends = np.array([[0, 1, 2, 3, 4, 5, 6], [1, 0, 3, 2, 5, 6, 0]])
    split, _ = links.link_split(ends, 7, (0.4, 0.3, 0.3), seed=0, directed=False)
    assert split.train.shape[1] + split.valid.shape[1] + split.test.shape[1] == len(unordered(ends))


def test_later_links_are_tested() -> None:
    ends = np.stack([np.arange(10), np.arange(1, 11)])
    _, train = links.link_split(ends, 11, (0.6, 0.2, 0.2), seed=0, directed=True, time=np.arange(10.0)[::-1])
    assert train.tolist() == [4, 5, 6, 7, 8, 9]


def test_a_graph_without_room_for_negatives_is_refused() -> None:
    ends = np.stack(np.triu_indices(5, 1))
    with pytest.raises(DataError, match="0 pairs without an edge"):
        links.link_split(ends, 5, (0.6, 0.2, 0.2), seed=0, directed=False)


def test_negatives_of_a_large_graph_are_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "ENUMERATED", 0)
    ends = np.stack([np.arange(40), (np.arange(40) + 1) % 41])
    false = links.negatives(ends, 41, 300, seed=1)
    assert len(unordered(false)) == 300
    assert not unordered(false) & unordered(ends)


def test_too_few_edges_are_refused() -> None:
    with pytest.raises(DataError, match="part of the split is empty"):
        links.link_split(np.array([[0], [1]]), 2, (0.6, 0.2, 0.2), seed=0, directed=False)
