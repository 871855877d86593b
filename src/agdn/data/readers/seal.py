"""The MATLAB files of SEAL: one sparse adjacency matrix ``net``, a graph for link prediction."""

from __future__ import annotations

from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np

from agdn.data.dataset import Dataset
from agdn.data.errors import DataError
from agdn.data.pairs import symmetric_graph
from agdn.data.plain_objects import checked_csr

MAX_BYTES = 2**30


def read_seal(path: Path, name: str) -> Dataset:
    """The whole graph, both directions of every link, without a split: none was published."""
    matrix = _load_net(path)
    if matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"{path}: net has shape {matrix.shape}; an adjacency matrix is square")
    columns = matrix.shape[1]
    try:
        net = checked_csr(matrix.data, matrix.indices, matrix.indptr, (columns, columns)).tocoo()
    except UnpicklingError as error:
        raise DataError(f"{path}, matrix net, was refused: {error}") from None
    present = net.data != 0
    pairs = np.stack([net.row[present], net.col[present]], axis=1).astype(np.int64)
    return Dataset(name=name, graph=symmetric_graph(pairs, columns), target="link", metric="rocauc")


def _load_net(path: Path) -> Any:
    """The matrix in compressed columns. Only a flat sparse ``net`` is parsed: nested cells could exhaust the stack."""
    from scipy.io import loadmat, whosmat

    if not path.exists():
        raise DataError(f"{path} is missing")
    if path.stat().st_size > MAX_BYTES:
        raise DataError(f"{path} is larger than {MAX_BYTES >> 20} MB, which no SEAL graph is")
    try:
        kinds = {variable: kind for variable, _, kind in whosmat(path, appendmat=False)}
        if kinds.get("net") != "sparse":
            found = ", ".join(f"{variable} ({kind})" for variable, kind in kinds.items())
            raise DataError(f"{path} has no sparse matrix net; it holds {found or 'nothing'}")
        net = loadmat(path, appendmat=False, variable_names=["net"])["net"]
        if net.format != "csc":
            raise DataError(f"{path}: net is stored as {net.format}, not by columns")
        return net
    except DataError:
        raise
    except NotImplementedError:
        raise DataError(f"{path} is a MATLAB 7.3 file; save it again with -v7") from None
    except Exception as error:
        raise DataError(f"{path} is not a readable MATLAB file: {str(error)[:120]}") from None
