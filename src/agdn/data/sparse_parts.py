"""Sparse matrices from the parts that a file stores."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from agdn.data.errors import DataError


def checked_csr(data: Any, indices: Any, indptr: Any, shape: tuple[int, int], *, where: str) -> sparse.csr_matrix:
    """A csr_matrix whose pointers and columns are known to be in range: SciPy's compiled code trusts them blindly."""
    rows, columns = shape
    flat = all(isinstance(part, np.ndarray) and part.ndim == 1 for part in (data, indices, indptr))
    if not flat or indices.dtype.kind != "i" or indptr.dtype.kind != "i" or data.dtype.kind not in "biuf":
        raise DataError(f"{where} has parts that are not flat arrays of numbers")
    ordered = len(indptr) == rows + 1 and indptr[0] == 0 and bool((np.diff(indptr) >= 0).all())
    if not ordered or not indptr[-1] == len(indices) == len(data):
        raise DataError(f"{where} has row pointers that do not fit its {len(indices)} entries and {rows} rows")
    if len(indices) and not 0 <= int(indices.min()) <= int(indices.max()) < columns:
        raise DataError(f"{where} has an entry outside its {columns} columns")
    return sparse.csr_matrix((data, indices, indptr), shape=shape)
