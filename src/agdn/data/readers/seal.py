"""The MATLAB files of SEAL: one sparse adjacency matrix ``net``, a graph for link prediction."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from agdn.data.dataset import Dataset
from agdn.data.errors import DataError
from agdn.data.mat_file import read_sparse
from agdn.data.pairs import symmetric_graph
from agdn.data.sparse_parts import checked_csr


def read_seal(path: Path, name: str) -> Dataset:
    """The whole graph, both directions of every link, without a split: none was published."""
    net = read_sparse(path, "net")
    rows, columns = net.shape
    if rows != columns:
        raise DataError(f"{path}: net has shape {net.shape}; an adjacency matrix is square")
    used = int(net.indptr[-1]) if len(net.indptr) else 0  # MATLAB may keep room for more entries than there are
    where = f"{path}, matrix net,"
    transposed = checked_csr(net.data[:used], net.row[:used], net.indptr, (columns, columns), where=where).tocoo()
    present = transposed.data != 0
    pairs = np.stack([transposed.row[present], transposed.col[present]], axis=1).astype(np.int64)
    return Dataset(name=name, graph=symmetric_graph(pairs, columns), target="link", metric="rocauc")
