"""Columns are taken for what they look like, unless the user says otherwise."""

from __future__ import annotations

import pytest

from agdn.data.errors import DataError
from agdn.data.tables.roles import given_roles, infer_roles
from agdn.data.tables.table_file import ColumnTable

ROWS = 40
TABLE = ColumnTable(
    {
        "age": [str(row) if row % 3 else "NA" for row in range(ROWS)],
        "city": ["Rome" if row % 2 else "New York" for row in range(ROWS)],
        "name": [f"person{row}" for row in range(ROWS)],
        "bio": [f"I am the person number {row}" for row in range(ROWS)],
        "empty": [""] * ROWS,
    },
    "nodes.csv",
)


def test_by_what_the_cells_look_like() -> None:
    roles = infer_roles(TABLE, TABLE.columns, given={})
    assert {role.column: role.role for role in roles} == {
        "age": "numeric",
        "city": "categorical",
        "name": "ignore",
        "bio": "text",
        "empty": "ignore",
    }
    assert all(role.why for role in roles)


def test_the_user_overrules() -> None:
    given = given_roles(categorical=["age"], text=["name"], ignore=["bio"])
    roles = {role.column: role.role for role in infer_roles(TABLE, TABLE.columns, given=given)}
    assert (roles["age"], roles["name"], roles["bio"], roles["city"]) == (
        "categorical",
        "text",
        "ignore",
        "categorical",
    )


def test_a_column_in_two_lists_is_refused() -> None:
    with pytest.raises(DataError, match="'age' is given as numeric and as text"):
        given_roles(numeric=["age"], text=["age"])


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(DataError, match=r"nodes\.csv has no column 'agee'"):
        infer_roles(TABLE, TABLE.columns, given=given_roles(numeric=["agee"]))
