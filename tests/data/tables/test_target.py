"""Targets become the labels that a Dataset holds."""

from __future__ import annotations

import numpy as np
import pytest

from agdn.data.errors import DataError
from agdn.data.tables.table_file import ColumnTable
from agdn.data.tables.target import Labels, read_labels


def labels(*cells: str, **options: object) -> Labels:
    return read_labels(ColumnTable({"label": list(cells)}, "nodes.csv"), ["label"], **options)


def test_classes_in_order_of_their_names() -> None:
    read = labels("pear", "apple", "", "pear")
    assert (read.task, read.names) == ("class", ("apple", "pear"))
    assert read.y.tolist() == [1, 0, -1, 1]
    assert read.known.tolist() == [True, True, False, True]


def test_numbered_classes_in_order_of_their_numbers() -> None:
    read = labels("10", "9", "10")
    assert (read.task, read.names, read.y.tolist()) == ("class", ("9", "10"), [1, 0, 1])


def test_fractions_are_a_quantity() -> None:
    read = labels("0.5", "NA", "2")
    assert (read.task, read.names) == ("numeric", None)
    np.testing.assert_array_equal(read.y, np.float32([0.5, np.nan, 2]))
    assert read.known.tolist() == [True, False, True]


def test_many_whole_numbers_are_a_quantity_unless_told() -> None:
    cells = [str(number) for number in range(200)]
    assert labels(*cells).task == "numeric"
    assert labels(*cells, task="class").task == "class"


def test_tags_between_separators() -> None:
    read = labels("b|a", "", "c | b", separator="|")
    assert read.names == ("a", "b", "c")
    np.testing.assert_array_equal(read.y, [[1, 1, 0], [np.nan] * 3, [0, 1, 1]])
    assert read.known.tolist() == [True, False, True]


def test_several_columns_are_several_tasks() -> None:
    table = ColumnTable({"a": ["1", "no", ""], "b": ["TRUE", "0", ""]}, "nodes.csv")
    read = read_labels(table, ["a", "b"])
    assert (read.task, read.names) == ("multilabel", ("a", "b"))
    np.testing.assert_array_equal(read.y, [[1, 1], [0, 0], [np.nan, np.nan]])
    assert read.known.tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("cells", "options", "sentence"),
    [
        (("a", "a"), {}, "the single class 'a'"),
        (("", "NA"), {}, "no label in any row"),
        (("", "NA"), {"task": "numeric"}, "no label in any row"),
        (("1", "x"), {"task": "numeric"}, "row 2, column 'label': 'x' is no number"),
        (("1", "2"), {"task": "multilabel"}, "holds '2'; a multi-label column holds 1 or 0"),
        (("|", "|"), {"separator": "|"}, "no tag"),
        (("a", "b"), {"task": "class", "separator": "|"}, "one column without a separator"),
    ],
)
def test_faults_are_named(cells: tuple[str, ...], options: dict, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        labels(*cells, **options)


def test_a_class_of_one_row_is_remarked_upon() -> None:
    read = labels("cat", "dog", "", "dgo", "cat", "dog", "ca")
    assert read.names == ("ca", "cat", "dgo", "dog")
    (remark,) = read.remarks
    assert remark.startswith("nodes.csv, row 4, column 'label': the class 'dgo' is in no other row (1 more")
