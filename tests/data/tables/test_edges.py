"""The edge table: its ends are found, its columns come along in file order."""

from __future__ import annotations

import pytest

from agdn.data.errors import DataError
from agdn.data.tables.edges import end_columns, read_edges
from agdn.data.tables.ids import IdMap
from agdn.data.tables.table_file import ColumnTable


def table(**columns: list[str]) -> ColumnTable:
    return ColumnTable(columns, "edges.csv")


@pytest.mark.parametrize(
    ("names", "ends"),
    [
        (("w", "Source", "Target"), ("Source", "Target")),
        (("src", "w", "dst"), ("src", "dst")),
        (("citing", "cited", "w"), ("citing", "cited")),
    ],
)
def test_the_two_ends_are_found(names: tuple[str, ...], ends: tuple[str, str]) -> None:
    assert end_columns(table(**{name: ["1"] for name in names}), None, None) == ends


def test_one_column_is_no_edge_table() -> None:
    with pytest.raises(DataError, match="the single column 'a'"):
        end_columns(table(a=["1"]), None, None)


def test_ends_weights_and_times_in_file_order() -> None:
    edges = table(a=["x", "y"], b=["y", "z"], w=["0.5", "2"], t=["2020", "2019"])
    read = read_edges(edges, IdMap(), ("a", "b"), grow=True, weight="w", time="t")
    assert read.ends.tolist() == [[0, 1], [1, 2]]
    assert read.weight is not None
    assert read.weight.tolist() == [0.5, 2]
    assert read.time is not None
    assert read.time.tolist() == [2020, 2019]


def test_an_edge_without_weight_is_named() -> None:
    edges = table(a=["x", "y"], b=["y", "x"], w=["1", "NA"])
    with pytest.raises(DataError, match=r"edges\.csv, row 2 has no value in column 'w'"):
        read_edges(edges, IdMap(), ("a", "b"), grow=True, weight="w", missing=("NA",))


def test_no_edges_are_a_graph_too() -> None:
    assert read_edges(table(a=[], b=[]), IdMap(), ("a", "b"), grow=True).ends.shape == (2, 0)
