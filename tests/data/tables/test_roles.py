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
        "joined": [f"2024-01-{1 + row % 28:02d}" if row % 5 else "" for row in range(ROWS)],
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
        "joined": "date",
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


def test_a_word_among_numbers_is_refused() -> None:
    ages = ["", *(str(row) for row in range(38)), "forty"]
    with pytest.raises(DataError, match=r"nodes\.csv, row 40, column 'age': 'forty' is no number, but 38 of 39 values"):
        infer_roles(ColumnTable({"age": ages}, "nodes.csv"), ["age"], given={})


def test_many_words_among_numbers_are_categories() -> None:
    codes = [str(row % 9) if row % 10 else "X" for row in range(ROWS)]
    table = ColumnTable({"code": codes}, "nodes.csv")
    assert infer_roles(table, ["code"], given={})[0].role == "categorical"
