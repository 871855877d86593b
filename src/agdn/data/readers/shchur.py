"""Amazon and Coauthor graphs in the npz of Shchur et al.: two sparse matrices, ``adj_*`` and ``attr_*``, and labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from scipy import sparse

from agdn.data.array_archive import read_npz
from agdn.data.dataset import Dataset
from agdn.data.errors import DataError
from agdn.data.pairs import symmetric_graph
from agdn.data.sparse_parts import checked_csr

MATRIX = ("data", "indices", "indptr", "shape")
KEYS = (*(f"adj_{part}" for part in MATRIX), *(f"attr_{part}" for part in MATRIX), "labels")


def read_shchur(path: Path, name: str) -> Dataset:
    """The set with a symmetric graph (the raw Amazon matrices are directed), without a split: none was published."""
    arrays = read_npz(path, KEYS)
    adjacency, attributes = (_matrix(arrays, prefix, path) for prefix in ("adj", "attr"))
    labels = arrays["labels"]
    num_nodes = adjacency.shape[0]
    if adjacency.shape[1] != num_nodes:
        raise DataError(f"{path}: the matrix adj has shape {adjacency.shape}; an adjacency matrix is square")
    if labels.dtype.kind not in "iu" or labels.shape != (num_nodes,) or attributes.shape[0] != num_nodes:
        raise DataError(f"{path} must hold a label and a row of attr for each of its {num_nodes} nodes")
    entries = adjacency.tocoo()
    pairs = np.stack([entries.row, entries.col], axis=1).astype(np.int64)
    return Dataset(
        name=name,
        graph=symmetric_graph(pairs, num_nodes),
        target="class",
        metric="accuracy",
        x=torch.from_numpy(_dense(attributes, path)),
        y=torch.from_numpy(labels.astype(np.int64)),
    )


def _matrix(arrays: dict[str, np.ndarray], prefix: str, path: Path) -> sparse.csr_matrix:
    data, indices, indptr, shape = (arrays[f"{prefix}_{part}"] for part in MATRIX)
    if shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise DataError(f"{path}: {prefix}_shape must hold two numbers")
    return checked_csr(data, indices, indptr, (int(shape[0]), int(shape[1])), where=f"{path}, matrix {prefix},")


def _dense(matrix: sparse.csr_matrix, path: Path) -> np.ndarray:
    """Float32 rows; the width must be one that the stored entries can account for."""
    rows, columns = matrix.shape
    if rows * columns > 2000 * (matrix.nnz + 10**6):
        raise DataError(f"{path}: attr has {columns} columns and only {matrix.nnz} entries; its shape is not believed")
    dense: np.ndarray = matrix.astype(np.float32).toarray()
    return dense
