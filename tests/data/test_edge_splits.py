"""Splits of edges: both directions together, negatives that are none, nothing of one part in another."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from agdn.data import edge_splits
from agdn.data.checks import check_dataset
from agdn.data.dataset import Dataset
from agdn.data.edge_splits import split_edges
from agdn.data.embedded.rmat import rmat
from agdn.data.errors import DataError
from agdn.graph import Graph


def plain(edges: list[tuple[int, int]], num_nodes: int) -> Dataset:
    edge_index = torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t()
    return Dataset(name="plain", graph=Graph(edge_index, num_nodes), target="link", metric="rocauc")


def pair_set(pairs: torch.Tensor) -> set[tuple[int, int]]:
    return {(min(a, b), max(a, b)) for a, b in pairs.t().tolist()}


@settings(max_examples=60, deadline=None)
@given(
    edges=st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=40),
    symmetric=st.booleans(),
    seed=st.integers(0, 3),
)
def test_parts_are_disjoint_and_complete(edges: list[tuple[int, int]], symmetric: bool, seed: int) -> None:
    if symmetric:
        edges = edges + [(b, a) for a, b in edges]
    dataset = split_edges(plain(edges, 15), valid=0.2, test=0.3, seed=seed)
    split = dataset.split
    positives = [pair_set(part) for part in (split.train, split.valid, split.test)]
    whole = {(min(a, b), max(a, b)) for a, b in edges if a != b}
    assert set().union(*positives) == whole
    assert sum(map(len, positives)) == len(whole)
    assert pair_set(dataset.graph.edge_index) - {(a, a) for a in range(15)} == positives[0]
    negatives = torch.cat([split.valid_negative, split.test_negative], dim=1)
    assert not pair_set(negatives) & whole
    assert len(pair_set(negatives)) == negatives.size(1)
    assert bool((negatives[0] != negatives[1]).all())
    assert split.valid_negative.size(1) == split.valid.size(1)


def test_a_symmetric_graph_lists_each_pair_once() -> None:
    split = split_edges(plain([(0, 1), (1, 0), (2, 1), (1, 2), (2, 0), (0, 2)], 30), valid=0, test=0.3).split
    assert split.train.size(1) == 2
    assert bool((split.train[0] < split.train[1]).all())


def test_a_directed_graph_keeps_directions() -> None:
    split = split_edges(plain([(3, 1), (1, 3), (5, 2)], 30), valid=0, test=0).split
    assert split.train.t().tolist() == [[3, 1], [1, 3], [5, 2]]


def test_signals_follow_their_edges() -> None:
    whole = plain([(i, i + 1) for i in range(20)], 30)
    whole = replace(whole, edge_attr=torch.arange(20.0).unsqueeze(1), extra={"edge_year": torch.arange(20)})
    part = split_edges(whole, valid=0.2, test=0.2)
    assert part.edge_attr.squeeze(1).tolist() == part.graph.edge_index[0].tolist()
    assert part.extra["edge_year"].tolist() == part.graph.edge_index[0].tolist()


@pytest.mark.parametrize("listed", [True, False], ids=["listed", "drawn"])
def test_a_checked_split_has_no_leak(monkeypatch: pytest.MonkeyPatch, listed: bool) -> None:
    monkeypatch.setattr(edge_splits, "ENUMERABLE", 10**9 if listed else 0)
    dataset = split_edges(rmat(num_nodes=500, num_edges=3000), seed=2)
    assert check_dataset(dataset).ok
    again = split_edges(rmat(num_nodes=500, num_edges=3000), seed=2)
    assert torch.equal(dataset.split.test_negative, again.split.test_negative)


def test_too_dense_a_graph_is_said() -> None:
    full = [(a, b) for a in range(6) for b in range(6) if a != b]
    with pytest.raises(DataError, match="only 0 pairs are not joined"):
        split_edges(plain(full, 6), valid=0.1, test=0.1)


def test_shares_must_leave_something_to_train() -> None:
    with pytest.raises(DataError, match="below 1 together"):
        split_edges(plain([(0, 1)], 3), valid=0.5, test=0.5)
    assert np.isclose(split_edges(plain([(0, 1)], 3), valid=0, test=0).graph.num_edges, 1)
