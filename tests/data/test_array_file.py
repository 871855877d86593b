"""One .npy file: numbers of the type and shape that were promised, or a sentence."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agdn.data.array_file import read_array
from agdn.data.errors import DataError


@pytest.mark.parametrize("mmap", [True, False])
@pytest.mark.parametrize("array", [np.arange(6.0).reshape(2, 3), np.empty((0, 3), np.int32), np.array(5)])
def test_what_was_saved(tmp_path: Path, array: np.ndarray, mmap: bool) -> None:
    np.save(tmp_path / "a.npy", array)
    read = read_array(tmp_path / "a.npy", dtype=array.dtype.str, shape=array.shape, mmap=mmap)
    np.testing.assert_array_equal(read, array)


@pytest.mark.parametrize("array", [np.array(["text"]), np.array([1 + 2j]), np.zeros(2, dtype=[("a", "f4")])])
def test_what_is_no_number_is_refused(tmp_path: Path, array: np.ndarray) -> None:
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(DataError, match=r"a\.npy must hold an array of numbers"):
        read_array(tmp_path / "a.npy")


def test_an_npz_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "a.npy").open("wb") as file:
        np.savez(file, a=np.zeros(2))
    with pytest.raises(DataError, match=r"a\.npy must hold"):
        read_array(tmp_path / "a.npy")


def test_a_shape_that_fits_no_memory_is_refused(tmp_path: Path) -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**15,)})
    (tmp_path / "a.npy").write_bytes(header.getvalue() + bytes(64))
    for mmap in (True, False):
        with pytest.raises(DataError, match=r"a\.npy"):
            read_array(tmp_path / "a.npy", mmap=mmap)


@settings(max_examples=150, deadline=None)
@given(content=st.binary(max_size=200), mmap=st.booleans(), prefix=st.booleans())
def test_random_bytes(tmp_path_factory: pytest.TempPathFactory, content: bytes, mmap: bool, prefix: bool) -> None:
    path = tmp_path_factory.mktemp("npy") / "a.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" * prefix + content)
    with contextlib.suppress(DataError):
        assert read_array(path, mmap=mmap).dtype.kind in "biuf"
