"""Parts of a sparse matrix are taken only if they fit."""

import numpy as np
import pytest

from agdn.data.errors import DataError
from agdn.data.sparse_parts import checked_csr


@pytest.mark.parametrize(
    ("indices", "indptr"), [([0, 3], [0, 1, 2]), ([0, -1], [0, 1, 2]), ([0, 1], [0, 2, 1]), ([0, 1], [1, 1, 2])]
)
def test_sparse_parts_must_fit(indices: list[int], indptr: list[int]) -> None:
    with pytest.raises(DataError, match="matrix net"):
        checked_csr(np.ones(2), np.array(indices), np.array(indptr), (2, 3), where="set.mat, matrix net,")


def test_parts_that_fit_are_a_matrix() -> None:
    matrix = checked_csr(np.ones(2), np.array([0, 2]), np.array([0, 1, 2]), (2, 3), where="here")
    assert matrix.toarray().tolist() == [[1, 0, 0], [0, 0, 1]]


def test_fractional_indices_are_refused() -> None:
    with pytest.raises(DataError, match="flat arrays of numbers"):
        checked_csr(np.ones(1), np.array([0.5]), np.array([0, 1]), (1, 1), where="here")
