"""Ids number rows, and the faults in them are found."""

from __future__ import annotations

import numpy as np
import pytest

from agdn.data.errors import DataError
from agdn.data.tables.ids import IdMap
from agdn.data.tables.table_file import ColumnTable

EDGES = ColumnTable({"a": []}, "edges.csv")


def ids_of(*cells: str) -> IdMap:
    return IdMap.of_column(ColumnTable({"id": list(cells)}, "nodes.csv"), "id")


def test_rows_in_order_and_back() -> None:
    ids = ids_of("b", " a ", "c")
    assert ids.array().tolist() == ["b", "a", "c"]
    assert ids.find(["c", "b"], EDGES, 2).tolist() == [2, 0]
    assert ids.find([" c", "b "], EDGES, 2).tolist() == [2, 0]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [(("10", "-2"), "i"), (("01", "2"), "U"), (("1", "9" * 20), "U"), (("1", "x"), "U")],
)
def test_integers_stay_integers_only_where_nothing_is_lost(cells: tuple[str, ...], kind: str) -> None:
    array = ids_of(*cells).array()
    assert array.dtype.kind == kind
    assert [str(value) for value in array.tolist()] == list(cells)


def test_a_repeated_id_is_named_with_its_row() -> None:
    with pytest.raises(DataError, match=r"nodes\.csv, row 3 repeats the id 'a'"):
        ids_of("a", "b", "a")


@pytest.mark.parametrize("cell", ["", "  ", "a\0"])
def test_an_unusable_id_is_named_with_its_row(cell: str) -> None:
    with pytest.raises(DataError, match="row 2 has no usable id"):
        ids_of("a", cell)


def test_no_rows_at_all() -> None:
    with pytest.raises(DataError, match=r"nodes\.csv has a header but no rows"):
        ids_of()


def test_an_unknown_end_is_named_with_its_row() -> None:
    with pytest.raises(DataError, match=r"edges\.csv, row 8 names the node 'z'"):
        ids_of("a", "b").find(["a", "z"], EDGES, 7)


def test_growing_numbers_new_ids() -> None:
    ids = IdMap()
    assert ids.add(["x", "y", "x"], EDGES, 2).tolist() == [0, 1, 0]
    assert ids.array().tolist() == ["x", "y"]
    with pytest.raises(DataError, match="row 6 has an empty cell"):
        ids.add(["y", " "], EDGES, 5)


def test_array_holds_int64() -> None:
    assert ids_of("1", "2").array().dtype == np.int64
