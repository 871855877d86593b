import numpy as np
import pytest

from agdn.estimators.labels import class_column, has_class, number_column, numbered_classes


@pytest.mark.parametrize(
    ("y", "classes", "numbers"),
    [
        (np.array([3, -1, 1, 3]), [1, 3], [1, -1, 0, 1]),
        (np.array([2.0, np.nan, -1.0, 0.0]), [0, 2], [1, -1, -1, 0]),
        (["b", None, "a", float("nan"), -1], ["a", "b"], [1, -1, 0, -1, -1]),
        (np.array(["-1", "x"]), ["-1", "x"], [0, 1]),
        (np.array([True, False]), [False, True], [1, 0]),
    ],
)
def test_classes_are_numbered_and_gaps_stay(y, classes, numbers) -> None:
    column = class_column(y)
    found, positions = numbered_classes(column, has_class(column))
    assert found.tolist() == classes
    assert positions.tolist() == numbers


def test_what_is_no_class_is_refused() -> None:
    with pytest.raises(ValueError, match="no entry of y is known"):
        numbered_classes(np.array([-1, -1]), np.zeros(2, bool))
    continuous = np.array([0.5, 1.25, 3.75])
    with pytest.raises(ValueError, match="Unknown label type"):
        numbered_classes(continuous, has_class(continuous))


def test_numbers_may_be_unknown_but_not_endless() -> None:
    assert np.isnan(number_column([1.0, None, 2.0])).tolist() == [False, True, False]
    with pytest.raises(ValueError, match="y holds infinity, first in row 1"):
        number_column([1.0, np.inf])
