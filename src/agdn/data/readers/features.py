"""Node features from a file of their own, such as published text embeddings: ``.npy``, or ``.npz`` with one array."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from agdn.data.array_archive import array_names, read_npy, read_npz
from agdn.data.errors import DataError


def read_features(path: Path, num_nodes: int) -> Tensor:
    """``(num_nodes, F)`` float32; the rows are the nodes in order."""
    if path.suffix == ".npy":
        array = read_npy(path)
    elif path.suffix == ".npz":
        names = array_names(path)
        if len(names) != 1:
            raise DataError(f"{path} holds {len(names)} arrays ({', '.join(names[:10])}); features must be alone")
        array = read_npz(path, names)[names[0]]
    else:
        raise DataError(f"features: {path} must be a .npy or .npz file")
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise DataError(f"{path} holds {array.dtype}{array.shape}; features are a table of numbers")
    if len(array) != num_nodes:
        raise DataError(f"{path} has {len(array)} rows for {num_nodes} nodes; it must have one row a node, in order")
    return torch.from_numpy(np.array(array, dtype=np.float32, order="C"))
