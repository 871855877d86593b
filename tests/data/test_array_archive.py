"""NumPy files from strangers."""

import pickle
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agdn.data import array_archive
from agdn.data.array_archive import array_names, read_npy, read_npz
from agdn.data.errors import DataError


class Attack:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(self.marker), "w")


def header(shape: str, descr: str = "<f8") -> bytes:
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def test_named_arrays_come_back_and_others_stay_unread(tmp_path: Path) -> None:
    path = tmp_path / "set.npz"
    np.savez_compressed(path, a=np.arange(3), b=np.eye(2), names=np.array([Attack(tmp_path / "marker")], dtype=object))
    loaded = read_npz(path, ("a",), ("b", "c"))
    assert sorted(loaded) == ["a", "b"]
    np.testing.assert_array_equal(loaded["b"], np.eye(2))
    assert array_names(path) == ("a", "b", "names")
    assert list(tmp_path.iterdir()) == [path]


def test_objects_are_refused_and_not_made(tmp_path: Path) -> None:
    np.savez(tmp_path / "set.npz", a=np.array([Attack(tmp_path / "marker")], dtype=object))
    np.save(tmp_path / "set.npy", np.array([Attack(tmp_path / "marker")], dtype=object))
    (tmp_path / "bare.npy").write_bytes(pickle.dumps(Attack(tmp_path / "marker")))
    for read in (
        lambda: read_npz(tmp_path / "set.npz", ("a",)),
        lambda: read_npy(tmp_path / "set.npy"),
        lambda: read_npy(tmp_path / "bare.npy"),
    ):
        with pytest.raises(DataError, match=r"set.npz|set.npy|bare.npy"):
            read()
    assert not (tmp_path / "marker").exists()


def test_a_missing_array_is_named_with_those_that_are_there(tmp_path: Path) -> None:
    np.savez(tmp_path / "set.npz", a=np.arange(3))
    with pytest.raises(DataError, match="has no array edges; it holds a"):
        read_npz(tmp_path / "set.npz", ("a", "edges"))


@pytest.mark.parametrize("shape", ["(1000000000000,)", "(-1,)", "(99999999999999999999999,)"])
def test_a_shape_beyond_the_file_is_refused(tmp_path: Path, shape: str) -> None:
    (tmp_path / "a.npy").write_bytes(header(shape) + bytes(16))
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("a.npy", header(shape) + bytes(16))
    with pytest.raises(DataError, match="more than the file holds"):
        read_npy(tmp_path / "a.npy")
    with pytest.raises(DataError, match="more than the file holds"):
        read_npz(tmp_path / "a.npz", ("a",))


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_archive, "MIN_CAP", 2**20)
    np.savez_compressed(tmp_path / "a.npz", a=np.zeros(10**6))
    with pytest.raises(DataError, match="unpacks to more than 200 times"):
        read_npz(tmp_path / "a.npz", ("a",))


def test_missing_and_other_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a.npz is missing"):
        read_npz(tmp_path / "a.npz", ("a",))
    (tmp_path / "a.npz").write_text("no archive")
    with pytest.raises(DataError, match=r"a.npz is not a readable NumPy file"):
        read_npz(tmp_path / "a.npz", ("a",))


@settings(max_examples=200, deadline=None)
@given(content=st.one_of(st.binary(max_size=200), st.binary(max_size=60).map(lambda tail: header("(2,)") + tail)))
def test_random_bytes_give_our_error_or_numbers(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.getbasetemp()
    (folder / "r.npy").write_bytes(content)
    with zipfile.ZipFile(folder / "r.npz", "w") as archive:
        archive.writestr("r.npy", content)
    for read in (lambda: read_npy(folder / "r.npy"), lambda: read_npz(folder / "r.npz", ("r",))["r"]):
        with suppress(DataError):
            assert read().dtype.kind in "biufUS"
