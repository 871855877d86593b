"""The MATLAB files of SEAL: one sparse adjacency matrix ``net``, a graph for link prediction."""

from __future__ import annotations

from pathlib import Path
from pickle import UnpicklingError

import numpy as np

from agdn.data.dataset import Dataset
from agdn.data.errors import DataError
from agdn.data.mat_file import read_sparse
from agdn.data.pairs import symmetric_graph
from agdn.data.plain_objects import checked_csr


def read_seal(path: Path, name: str) -> Dataset:
    """The whole graph, both directions of every link, without a split: none was published."""
    net = read_sparse(path, "net")
    rows, columns = net.shape
    if rows != columns:
        raise DataError(f"{path}: net has shape {net.shape}; an adjacency matrix is square")
    if len(net.indptr) != columns + 1 or columns < 0:
        raise DataError(f"{path}, matrix net, was refused: it has {len(net.indptr)} pointers for {columns} columns")
    used = int(net.indptr[-1])  # MATLAB may keep room for more entries than there are
    try:
        transposed = checked_csr(net.data[:used], net.row[:used], net.indptr, (columns, columns)).tocoo()
    except UnpicklingError as error:
        raise DataError(f"{path}, matrix net, was refused: {error}") from None
    present = transposed.data != 0
    pairs = np.stack([transposed.row[present], transposed.col[present]], axis=1).astype(np.int64)
    return Dataset(name=name, graph=symmetric_graph(pairs, columns), target="link", metric="rocauc")
