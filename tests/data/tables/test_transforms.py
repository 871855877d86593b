"""Fitted transforms come back from disk and give new rows the features they would have had."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agdn.data.errors import DataError
from agdn.data.tables.roles import ColumnRole
from agdn.data.tables.table_file import ColumnTable
from agdn.data.tables.transforms import Transforms, Widths, fit

COLUMNS = {
    "age": ["1", "2", "NA", "4"],
    "city": ["X", "Y", "X", ""],
    "many": ["p", "q", "r", "s"],
    "bio": ["graphs and nodes", "nodes and edges", "pots and pans", ""],
    "guess": ["1,2", "2", "3,1", ""],
    "junk": ["1", "2", "3", "4"],
}
ROLES = [
    ColumnRole("age", "numeric", ""),
    ColumnRole("city", "categorical", ""),
    ColumnRole("many", "categorical", ""),
    ColumnRole("bio", "text", ""),
    ColumnRole("guess", "ranked", ""),
    ColumnRole("junk", "ignore", ""),
]


def fitted() -> tuple[Transforms, np.ndarray]:
    widths = Widths(one_hot=3, hashed=8, text=2)
    return fit(ColumnTable(COLUMNS), ROLES, scale_rows=None, vocabulary_rows=None, widths=widths, seed=0)


def test_every_role_has_its_encoder() -> None:
    transforms, features = fitted()
    assert {name: encoder.kind for name, encoder in transforms.columns.items()} == {
        "age": "numeric",
        "city": "one-hot",
        "many": "hashed",
        "bio": "text",
        "guess": "ranked",
    }
    assert features.shape == (4, transforms.width) == (4, 2 + 3 + 8 + 2 + 3)


def test_saved_transforms_give_the_same_features(tmp_path: Path) -> None:
    transforms, features = fitted()
    transforms.save(tmp_path)
    loaded = Transforms.load(tmp_path)
    assert loaded is not None
    np.testing.assert_array_equal(loaded.apply(COLUMNS), features)
    one_row = {name: cells[1:2] for name, cells in COLUMNS.items()}
    np.testing.assert_allclose(loaded.apply(one_row), features[1:2], rtol=1e-6)


def test_nothing_saved_is_none(tmp_path: Path) -> None:
    assert Transforms.load(tmp_path) is None


def test_a_missing_column_is_named() -> None:
    with pytest.raises(DataError, match="no column 'city'"):
        fitted()[0].apply({"age": ["1"]})


@pytest.mark.parametrize(
    "change",
    [
        {"format_version": 7},
        {"columns": [{"column": "a", "kind": "os.system"}]},
        {"columns": [{"column": "a", "kind": "numeric", "mean": "x", "deviation": 1, "flag_missing": False}]},
        {"columns": 3},
    ],
)
def test_a_damaged_record_is_named(tmp_path: Path, change: dict) -> None:
    fitted()[0].save(tmp_path)
    path = tmp_path / "transforms.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(DataError, match=r"transforms\.json"):
        Transforms.load(tmp_path)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=80) | st.recursive(st.none() | st.integers(), st.lists).map(lambda v: json.dumps(v).encode()))
def test_random_bytes_are_no_transforms(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("transforms")
    (folder / "transforms.json").write_bytes(content)
    with pytest.raises(DataError):
        Transforms.load(folder)


def test_dates_are_scaled_alike_after_saving(tmp_path: Path) -> None:
    table = ColumnTable({"joined": ["2024-01-01", "2024-01-03", ""]}, "nodes.csv")
    roles = [ColumnRole("joined", "date", "as told")]
    transforms, values = fit(table, roles, scale_rows=None, vocabulary_rows=None, widths=Widths(), seed=0)
    np.testing.assert_allclose(values, [[-1, 0], [1, 0], [0, 1]], atol=1e-6)
    transforms.save(tmp_path)
    loaded = Transforms.load(tmp_path)
    np.testing.assert_allclose(loaded.apply({"joined": ["2024-01-05"]}), [[3, 0]], atol=1e-6)
    with pytest.raises(DataError, match="row 1, column 'joined': 'soon' is no time"):
        loaded.apply({"joined": ["soon"]})
