"""Splits of nodes: disjoint, complete, by seed, and each with its own promise."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from agdn.data.dataset import Dataset, NodeSplit
from agdn.data.embedded.csbm import csbm
from agdn.data.errors import DataError
from agdn.data.splits import inductive, per_class_split, random_split, stratified_split, time_split
from agdn.graph import Graph


def parts(split: NodeSplit) -> list[list[int]]:
    return [split.train.tolist(), split.valid.tolist(), split.test.tolist()]


def everyone(split: NodeSplit) -> list[int]:
    return torch.cat([split.train, split.valid, split.test]).sort().values.tolist()


def same(first: NodeSplit, second: NodeSplit) -> bool:
    return parts(first) == parts(second)


@given(st.integers(0, 200), st.integers(0, 5))
def test_a_random_split_is_complete_and_disjoint(num_nodes: int, seed: int) -> None:
    split = random_split(num_nodes, seed=seed)
    assert everyone(split) == list(range(num_nodes))
    assert abs(len(split.train) - 0.6 * num_nodes) <= 1
    assert same(split, random_split(num_nodes, seed=seed))


def test_another_seed_is_another_split() -> None:
    assert not same(random_split(100, seed=0), random_split(100, seed=1))


def test_a_stratified_split_keeps_the_shares_of_the_classes() -> None:
    y = torch.cat([torch.zeros(100), torch.ones(20), torch.full((7,), -1)]).long()
    split = stratified_split(y, fractions=(0.5, 0.25, 0.25))
    assert torch.bincount(y[split.train]).tolist() == [50, 10]
    assert torch.bincount(y[split.test]).tolist() == [25, 5]
    assert everyone(split) == list(range(120))


def test_so_many_labels_a_class() -> None:
    y = torch.arange(90) % 3
    split = per_class_split(y, train_per_class=5, valid=20, seed=3)
    assert torch.bincount(y[split.train]).tolist() == [5, 5, 5]
    assert [len(split.valid), len(split.test)] == [20, 55]
    each = per_class_split(y, train_per_class=5, valid_per_class=7)
    assert torch.bincount(y[each.valid]).tolist() == [7, 7, 7]
    assert everyone(each) == list(range(90))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"train_per_class": 5}, "either valid or valid_per_class"),
        ({"train_per_class": 40, "valid": 1}, "class 0 has 30 nodes; more than 40"),
        ({"train_per_class": 5, "valid": 100}, "leaves no test node"),
    ],
)
def test_too_few_nodes_are_said(options: dict[str, int], complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        per_class_split(torch.arange(90) % 3, **options)


def test_time_goes_one_way() -> None:
    years = torch.tensor([2019, 2015, 2017, 2018, 2015, 2020])
    assert parts(time_split(years, until=(2017, 2018))) == [[1, 2, 4], [3], [0, 5]]
    split = time_split(years, fractions=(0.5, 0.2, 0.3))
    assert int(years[split.train].max()) < int(years[split.valid].min())
    assert int(years[split.valid].max()) < int(years[split.test].min())


def test_nodes_of_one_time_stay_together() -> None:
    split = time_split(torch.tensor([1, 1, 1, 1, 2, 3]), fractions=(0.5, 0.25, 0.25))
    assert split.train.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("fractions", [(0.5, 0.5, 0.5), (0.5, 0.5), (1.2, -0.1, -0.1)])
def test_fractions_must_be_shares(fractions: tuple[float, ...]) -> None:
    with pytest.raises(DataError, match="three shares"):
        random_split(10, fractions=fractions)


def test_an_inductive_view_has_no_test_node_or_edge() -> None:
    full = csbm(num_nodes=200, seed=1)
    seen = inductive(full)
    nodes = seen.extra["node"]
    assert seen.graph.num_nodes == 200 - len(full.split.test)
    assert not bool(torch.isin(nodes, full.split.test).any())
    assert torch.equal(seen.x, full.x[nodes])
    assert torch.equal(nodes[seen.split.train], full.split.train)
    assert len(seen.split.test) == 0
    original = {tuple(edge) for edge in full.graph.edge_index.t().tolist()}
    edges = [tuple(edge) for edge in nodes[seen.graph.edge_index].t().tolist()]
    hidden = set(full.split.test.tolist())
    assert set(edges) == {(a, b) for a, b in original if a not in hidden and b not in hidden}


def test_an_inductive_view_carries_edge_signals() -> None:
    dataset = Dataset(
        name="line",
        graph=Graph(torch.tensor([[0, 1, 2], [1, 2, 3]]), 4),
        target="class",
        metric="accuracy",
        splits=(NodeSplit(torch.tensor([0, 2]), torch.tensor([3]), torch.tensor([1])),),
        edge_attr=torch.tensor([[1.0], [2.0], [3.0]]),
        extra={"edge_year": torch.tensor([7, 8, 9]), "year": torch.arange(4)},
    )
    seen = inductive(dataset)
    assert seen.graph.edge_index.tolist() == [[1], [2]]
    assert seen.edge_attr.tolist() == [[3.0]]
    assert (seen.extra["edge_year"].tolist(), seen.extra["year"].tolist()) == ([9], [0, 2, 3])
    with pytest.raises(DataError, match="not 'tests'"):
        inductive(dataset, hidden=("tests",))
