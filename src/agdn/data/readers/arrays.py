"""NumPy and SciPy arrays -> Dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from agdn.data.dataset import Dataset, NodeSplit, Target
from agdn.data.errors import DataError
from agdn.data.pairs import checked_ids, checked_pairs, directed_graph

DEFAULT_METRIC: dict[Target, str] = {"class": "accuracy", "multilabel": "rocauc", "numeric": "mae", "link": "rocauc"}


def from_arrays(
    edges: np.ndarray | sparse.csr_matrix | sparse.csr_array | Any,
    *,
    x: np.ndarray | sparse.csr_matrix | sparse.csr_array | Any = None,
    y: np.ndarray | None = None,
    num_nodes: int | None = None,
    splits: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]] = (),
    target: Target | None = None,
    metric: str | None = None,
    edge_attr: np.ndarray | None = None,
    name: str = "arrays",
) -> Dataset:
    """A dataset from ``(2, E)`` edges or an adjacency matrix, whose values become the edge weights.

    ``splits`` holds train, valid and test as ids or boolean masks. The target follows from ``y`` unless it is given:
    whole numbers are classes, a table is several yes/no tasks, fractions are numbers, no ``y`` means links.
    """
    pairs, weight, matrix_nodes = _pairs(edges)
    known = [matrix_nodes, num_nodes, None if x is None else x.shape[0], None if y is None else len(y)]
    counts = {count for count in known if count is not None}
    if len(counts) > 1:
        raise DataError(f"from_arrays: edges, num_nodes, x and y disagree on the number of nodes: {sorted(counts)}")
    count = counts.pop() if counts else int(pairs.max(initial=-1)) + 1
    pairs = checked_pairs(pairs, count, "edges")
    labels, found = _labels(y)
    chosen = target or found
    return Dataset(
        name=name,
        graph=directed_graph(pairs, count),
        target=chosen,
        metric=metric or DEFAULT_METRIC[chosen],
        splits=tuple(_split(parts, count, index) for index, parts in enumerate(splits)),
        x=None if x is None else _features(x),
        y=labels,
        edge_attr=None if edge_attr is None else _edge_features(edge_attr, len(pairs)),
        edge_weight=weight,
    )


def _pairs(edges: Any) -> tuple[np.ndarray, Tensor | None, int | None]:
    if hasattr(edges, "tocoo"):
        matrix = edges.tocoo()
        if matrix.shape[0] != matrix.shape[1]:
            raise DataError(f"from_arrays: an adjacency matrix is square, this one has shape {matrix.shape}")
        pairs = np.stack([matrix.row, matrix.col], axis=1).astype(np.int64)
        uniform = bool((matrix.data == 1).all())
        return pairs, None if uniform else torch.from_numpy(matrix.data.astype(np.float32)), matrix.shape[0]
    array = np.asarray(edges)
    if array.ndim != 2 or array.shape[0] != 2 or array.dtype.kind not in "iu":
        raise DataError(f"from_arrays: edges must be whole numbers of shape (2, E), got {array.dtype}{array.shape}")
    if array.dtype.kind == "u" and array.size and int(array.max()) >= 2**63:
        raise DataError(f"from_arrays: edges hold {int(array.max())}, which is no node id; ids lie below 2^63")
    return array.T.astype(np.int64), None, None


def _features(x: Any) -> Tensor:
    dense = x.toarray() if hasattr(x, "toarray") else np.asarray(x)
    if dense.ndim != 2 or dense.dtype.kind not in "biuf":
        raise DataError(f"from_arrays: x must be a table of numbers, got {dense.dtype}{dense.shape}")
    return torch.from_numpy(np.ascontiguousarray(dense, dtype=np.float32))


def _labels(y: Any) -> tuple[Tensor | None, Target]:
    if y is None:
        return None, "link"
    labels = np.asarray(y)
    if labels.dtype.kind not in "biuf" or labels.ndim not in (1, 2):
        raise DataError(f"from_arrays: y must be numbers, one or several a node, got {labels.dtype}{labels.shape}")
    if labels.ndim == 2 and labels.shape[1] > 1:
        return torch.from_numpy(labels.astype(np.float32)), "multilabel"
    labels = labels.reshape(-1)
    if labels.dtype.kind == "f":
        return torch.from_numpy(labels.astype(np.float32)), "numeric"
    return torch.from_numpy(labels.astype(np.int64)), "class"


def _edge_features(edge_attr: Any, num_edges: int) -> Tensor:
    values = np.asarray(edge_attr)
    if values.ndim not in (1, 2) or len(values) != num_edges or values.dtype.kind not in "biuf":
        raise DataError(f"from_arrays: edge_attr needs {num_edges} rows of numbers, got {values.dtype}{values.shape}")
    return torch.from_numpy(values.reshape(num_edges, -1).astype(np.float32))


def _split(parts: Sequence[np.ndarray], num_nodes: int, index: int) -> NodeSplit:
    if len(parts) != 3:
        raise DataError(f"from_arrays: splits[{index}] has {len(parts)} parts; it needs train, valid and test")
    ids = []
    for part, values in zip(("train", "valid", "test"), parts, strict=True):
        array = np.asarray(values)
        where = f"splits[{index}], {part}"
        if array.dtype == np.bool_:
            if array.shape != (num_nodes,):
                raise DataError(f"{where} is a mask of shape {array.shape}; it must be ({num_nodes},)")
            array = np.flatnonzero(array)
        ids.append(torch.from_numpy(checked_ids(array, num_nodes, where).copy()))
    return NodeSplit(*ids)
