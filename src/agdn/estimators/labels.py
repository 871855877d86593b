"""Which labels are known: a node without a class carries -1, None or NaN, one without a number NaN."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets


def class_column(y: Any) -> np.ndarray:
    """(N,) labels; in a list, None and NaN may stand beside words."""
    listed = np.array(y, dtype=object) if isinstance(y, list | tuple) else y
    column: np.ndarray = column_or_1d(listed, warn=True)
    return column


def number_column(y: Any) -> np.ndarray:
    """(N,) float64."""
    column: np.ndarray = column_or_1d(y, dtype=np.float64, warn=True)
    endless = np.isinf(column)
    if endless.any():
        raise ValueError(f"y holds infinity, first in row {int(endless.argmax())}; a number must be finite, or NaN")
    return column


def has_class(y: np.ndarray) -> np.ndarray:
    """(N,) whether each label is known."""
    if y.dtype.kind == "f":
        return np.asarray(~(np.isnan(y) | (y == -1)))
    if y.dtype.kind == "i":
        return np.asarray(y != -1)
    if y.dtype.kind == "O":
        return np.array([not _stands_for_nothing(label) for label in y], dtype=bool)
    return np.ones(len(y), dtype=bool)


def numbered_classes(y: np.ndarray, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The classes in order, and (N,) int64 the position of each label among them, -1 for an unknown one."""
    labels = y[known]
    labels = np.array(labels.tolist()) if labels.dtype.kind == "O" else labels
    require_known(known)
    check_classification_targets(labels)
    classes, positions = np.unique(labels, return_inverse=True)
    numbers = np.full(len(y), -1, dtype=np.int64)
    numbers[known] = positions
    return classes, numbers


def require_known(known: np.ndarray) -> None:
    if not known.any():
        raise ValueError("no entry of y is known (-1, None and NaN stand for unknown ones); fit needs some labels")


def _stands_for_nothing(label: Any) -> bool:
    return label is None or (isinstance(label, Real) and bool(label == -1 or label != label))
