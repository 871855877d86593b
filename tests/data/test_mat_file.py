"""MATLAB's container, against what SciPy writes."""

import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.io import savemat

from agdn.data.errors import DataError
from agdn.data.mat_file import read_sparse


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.bool_])
def test_a_matrix_comes_back(tmp_path: Path, packed: bool, dtype: type) -> None:
    matrix = sparse.random(30, 20, density=0.2, format="csc", random_state=0).astype(dtype)
    savemat(tmp_path / "m.mat", {"other": np.ones((3, 3)), "net": matrix, "text": "abc"}, do_compression=packed)
    stored = read_sparse(tmp_path / "m.mat", "net")
    back = sparse.csc_matrix((stored.data, stored.row, stored.indptr), shape=stored.shape)
    np.testing.assert_array_equal(back.toarray(), matrix.toarray())


def test_a_variable_is_found_by_its_whole_name(tmp_path: Path) -> None:
    savemat(tmp_path / "m.mat", {"net2": sparse.eye(3, format="csc"), "ne": sparse.eye(2, format="csc")})
    with pytest.raises(DataError, match=r"no sparse matrix net; it holds net2 \(sparse\), ne \(sparse\)"):
        read_sparse(tmp_path / "m.mat", "net")


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    savemat(tmp_path / "m.mat", {"net": sparse.eye(3, format="csc")})
    header = (tmp_path / "m.mat").read_bytes()[:128]
    packed = zlib.compress(bytes(2**24))
    tag = (15).to_bytes(4, "little") + len(packed).to_bytes(4, "little")
    (tmp_path / "m.mat").write_bytes(header + tag + packed)
    with pytest.raises(DataError, match="unpacks to more than 100 times its size"):
        read_sparse(tmp_path / "m.mat", "net")


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), packed=st.booleans())
def test_damaged_files_give_our_error_or_arrays(tmp_path: Path, data: st.DataObject, packed: bool) -> None:
    path = tmp_path / "m.mat"
    savemat(path, {"net": sparse.eye(3, format="csc")}, do_compression=packed)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    with suppress(DataError):
        assert read_sparse(path, "net").data.ndim == 1
