"""Pairs on their way into a graph."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from agdn.data.errors import DataError
from agdn.data.pairs import both_ways, checked_ids, checked_num_nodes, checked_pairs, sorted_unique, symmetric_graph

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30).map(
    lambda rows: np.array(rows, np.int64).reshape(-1, 2)
)


@pytest.mark.parametrize("bad", [[0, 5], [-1, 0]])
def test_the_row_out_of_range_is_named(bad: list[int]) -> None:
    with pytest.raises(DataError, match=rf"edge.csv.gz, row 3 joins nodes {bad[0]} and {bad[1]}.*0\.\.4"):
        checked_pairs(np.array([[0, 1], [2, 3], bad]), 5, "edge.csv.gz")


def test_ids_out_of_range_are_named() -> None:
    with pytest.raises(DataError, match=r"train.csv.gz, row 2 is node 7"):
        checked_ids(np.array([[1], [7]]), 5, "train.csv.gz")
    with pytest.raises(DataError, match="one node id a row"):
        checked_ids(np.array([0.5]), 5, "train.csv.gz")


@pytest.mark.parametrize("count", [0, -3, 10**12])
def test_an_absurd_number_of_nodes_is_not_believed(count: int) -> None:
    with pytest.raises(DataError, match="make no sense"):
        checked_num_nodes(count, 10, "num-node-list.csv.gz")


def test_each_pair_is_followed_by_its_reverse() -> None:
    assert both_ways(np.array([[0, 1], [2, 3]])).tolist() == [[0, 1], [1, 0], [2, 3], [3, 2]]


@given(PAIRS)
def test_a_symmetric_graph_holds_both_directions_once(pairs: np.ndarray) -> None:
    graph = symmetric_graph(pairs, 10)
    expected = {(a, b) for a, b in pairs.tolist() if a != b} | {(b, a) for a, b in pairs.tolist() if a != b}
    edges = graph.edge_index.t().tolist()
    assert len(edges) == len(expected)
    assert {(a, b) for a, b in edges} == expected
    assert torch.equal(graph.in_degree, graph.out_degree)


@given(st.lists(st.integers(-5, 5)))
def test_sorted_unique_is_unique(keys: list[int]) -> None:
    assert sorted_unique(np.array(keys, np.int64)).tolist() == sorted(set(keys))
