"""Cora, CiteSeer and PubMed as Planetoid published them: eight ``ind.<name>.*`` files, with the public split."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy import sparse

from agdn.data.dataset import Dataset, NodeSplit
from agdn.data.errors import DataError
from agdn.data.pairs import checked_pairs, symmetric_graph
from agdn.data.unpickle import read_pickle

PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")
NUM_VALID = 500


def read_planetoid(folder: Path, name: str) -> Dataset:
    """The set as published. CiteSeer's test ids have gaps: nodes without features, edges or a known class (-1)."""
    files = {part: folder / f"ind.{name}.{part}" for part in PARTS}
    missing = [path.name for path in files.values() if not path.exists()]
    if missing:
        raise DataError(f"{folder} lacks {', '.join(missing)}; a Planetoid set needs all eight ind.{name}.* files")
    known_x, test_x = (_features(files[part]) for part in ("allx", "tx"))
    known_y, test_y, train_y = (_one_hot(files[part]) for part in ("ally", "ty", "y"))
    if known_x.shape[1] != test_x.shape[1] or known_y.shape[1] != test_y.shape[1]:
        raise DataError(f"{files['tx']} and {files['allx']} have different numbers of columns; they are not of one set")
    if len(known_y) != known_x.shape[0] or len(test_y) != test_x.shape[0] or len(train_y) > len(known_y):
        raise DataError(f"{folder}: the ind.{name}.* files have features and labels of different lengths")
    test_ids = _test_ids(files["test.index"], len(test_y), first=len(known_y))
    num_nodes = max(len(known_y), int(test_ids.max()) + 1)

    x = np.zeros((num_nodes, known_x.shape[1]), np.float32)
    y = np.full(num_nodes, -1, np.int64)
    x[: len(known_y)], y[: len(known_y)] = known_x.toarray(), _classes(known_y)
    x[test_ids], y[test_ids] = test_x.toarray(), _classes(test_y)
    pairs = checked_pairs(_pairs(read_pickle(files["graph"]), files["graph"]), num_nodes, str(files["graph"]))
    num_train = len(train_y)
    valid_end = min(num_train + NUM_VALID, len(known_y))
    return Dataset(
        name=name,
        graph=symmetric_graph(pairs, num_nodes),
        target="class",
        metric="accuracy",
        splits=(
            NodeSplit(
                train=torch.arange(num_train),
                valid=torch.arange(num_train, valid_end),
                test=torch.from_numpy(np.sort(test_ids)),
            ),
        ),
        x=torch.from_numpy(x),
        y=torch.from_numpy(y),
    )


def _features(path: Path) -> sparse.csr_matrix:
    matrix = read_pickle(path)
    if not isinstance(matrix, sparse.csr_matrix):
        raise DataError(f"{path} holds {type(matrix).__name__}; it must hold a sparse matrix of features")
    return matrix


def _one_hot(path: Path) -> np.ndarray:
    labels = read_pickle(path)
    if not isinstance(labels, np.ndarray) or labels.ndim != 2 or labels.shape[1] == 0:
        raise DataError(f"{path} must hold one-hot labels, a row a node")
    return labels


def _classes(one_hot: np.ndarray) -> np.ndarray:
    return np.where(one_hot.any(axis=1), one_hot.argmax(axis=1), -1)


def _test_ids(path: Path, count: int, *, first: int) -> np.ndarray:
    """Row ``i`` of the test features is node ``ids[i]``; gaps are believed only as far as there are test nodes."""
    try:
        ids = np.array([int(line) for line in path.read_text("ascii").split()], np.int64)
    except (ValueError, OverflowError, OSError):
        raise DataError(f"{path} must be readable and hold one node id a line") from None
    if len(ids) != count or len(np.unique(ids)) != count or count == 0:
        raise DataError(f"{path} must hold {count} different node ids, one for each row of tx; it holds {len(ids)}")
    if ids.min() < first or ids.max() >= first + 2 * count:
        raise DataError(f"{path} holds ids {ids.min()}..{ids.max()}; test nodes follow the first {first} nodes")
    return ids


def _pairs(graph: Any, path: Path) -> np.ndarray:
    if not isinstance(graph, dict) or not all(isinstance(neighbours, list) for neighbours in graph.values()):
        raise DataError(f"{path} must hold a dictionary from node to list of neighbours")
    try:
        sources = np.repeat(np.array(list(graph), np.int64), [len(neighbours) for neighbours in graph.values()])
        targets = np.array([target for neighbours in graph.values() for target in neighbours], np.int64)
    except (ValueError, OverflowError, TypeError):
        raise DataError(f"{path} holds a neighbour list of something other than node ids") from None
    return np.stack([sources, targets], axis=1)
