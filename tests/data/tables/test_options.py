"""Options are checked by name, type and sense."""

from __future__ import annotations

import pytest

from agdn.data.errors import DataError
from agdn.data.tables.options import ImportOptions


def test_one_name_is_a_list_of_one() -> None:
    assert ImportOptions.of({"target": "label", "numeric": ["a", "b"]}).target == ("label",)


def test_none_is_the_default() -> None:
    assert ImportOptions.of({"seed": None}).seed == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"targte": "label"}, "no option 'targte'; the options are .*target"),
        ({"seed": "x"}, "option 'seed'"),
        ({"text_width": 0}, "option 'text_width'"),
        ({"fractions": (0.5, 0.5, 0.5)}, "sum to 1"),
        ({"fractions": (1.2, -0.1, -0.1)}, "sum to 1"),
        ({"split_by": "time"}, "needs time_column"),
        ({"split_by": "alphabet"}, "option 'split_by'"),
        ({"split_by": "random", "split_column": "part", "target": "y"}, "not both"),
        ({"split_column": "part"}, "splits nodes"),
    ],
)
def test_faults_are_named(options: dict, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        ImportOptions.of(options)
