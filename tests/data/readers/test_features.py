"""Node features from files of their own."""

from pathlib import Path

import numpy as np
import pytest
import torch

from agdn.data.errors import DataError
from agdn.data.readers.features import read_features


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int8"])
def test_an_array_becomes_float32(tmp_path: Path, dtype: str) -> None:
    table = np.arange(6).reshape(3, 2).astype(dtype)
    np.save(tmp_path / "x.npy", table)
    np.savez(tmp_path / "x.npz", embeddings=table)
    for file in ("x.npy", "x.npz"):
        x = read_features(tmp_path / file, 3)
        assert x.dtype == torch.float32
        assert x.tolist() == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        (np.ones((2, 4)), "has 2 rows for 3 nodes"),
        (np.ones(3), "features are a table of numbers"),
        (np.array([["a"]] * 3), "features are a table of numbers"),
        (np.array([[{}]] * 3, dtype=object), "Python objects"),
    ],
)
def test_another_table_is_refused(tmp_path: Path, table: np.ndarray, complaint: str) -> None:
    np.save(tmp_path / "x.npy", table)
    with pytest.raises(DataError, match=complaint):
        read_features(tmp_path / "x.npy", 3)


def test_other_files_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "two.npz", a=np.ones((3, 1)), b=np.ones((3, 1)))
    with pytest.raises(DataError, match=r"holds 2 arrays \(a, b\)"):
        read_features(tmp_path / "two.npz", 3)
    with pytest.raises(DataError, match=r"must be a .npy or .npz file"):
        read_features(tmp_path / "x.pt", 3)
    with pytest.raises(DataError, match=r"x.npy is missing"):
        read_features(tmp_path / "x.npy", 3)
