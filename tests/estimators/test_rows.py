import numpy as np
import pytest

from agdn.estimators.rows import NEW, places

KNOWN = np.array([[1, 2], [3, 4], [1, 2], [0, 0]], dtype=np.float32)


def test_rows_are_found_wherever_they_stand() -> None:
    asked = np.array([[3, 4], [9, 9], [1, 2], [-0.0, 0]], dtype=np.float32)
    assert places(asked, KNOWN, nodes_differ=False).tolist() == [1, NEW, 0, 3]


def test_equal_rows_are_one_row_of_a_table_and_two_nodes_of_a_graph() -> None:
    assert places(KNOWN, KNOWN, nodes_differ=False).tolist() == [0, 1, 0, 3]
    assert places(KNOWN, KNOWN, nodes_differ=True).tolist() == [0, 1, 2, 3]
    assert places(KNOWN[[1, 3]], KNOWN, nodes_differ=True).tolist() == [1, 3]
    with pytest.raises(ValueError, match="row 1 of X equals several nodes"):
        places(KNOWN[[1, 2]], KNOWN, nodes_differ=True)
