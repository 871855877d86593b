"""Torch files of both containers, honest and hostile."""

import os
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from agdn.data.errors import DataError
from agdn.data.torch_file import read_torch

CONTAINERS = pytest.mark.parametrize("zipped", [True, False], ids=["zip", "legacy"])


def saved(path: Path, value: object, *, zipped: bool) -> Path:
    torch.save(value, path, _use_new_zipfile_serialization=zipped)
    return path


@CONTAINERS
def test_tensors_and_arrays_come_back(tmp_path: Path, zipped: bool) -> None:
    whole = torch.arange(24).view(4, 6)
    value = {
        "edge": whole,
        "view": whole[1:3, ::2].t(),
        "half": torch.rand(3).half(),
        "mask": torch.tensor([True, False]),
        "empty": torch.empty(0, 2),
        "scalar": torch.tensor(7),
        "array": np.arange(5.0),
        "list": [1, "two", None],
    }
    loaded = read_torch(saved(tmp_path / "train.pt", value, zipped=zipped))
    for key in ("edge", "view", "half", "mask", "empty", "scalar"):
        np.testing.assert_array_equal(loaded[key], value[key].numpy())
    np.testing.assert_array_equal(loaded["array"], value["array"])
    assert loaded["list"] == [1, "two", None]


class Attack:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self.marker}",)


@CONTAINERS
def test_code_is_refused_and_not_run(tmp_path: Path, zipped: bool) -> None:
    path = saved(tmp_path / "train.pt", {"edge": Attack(tmp_path / "marker")}, zipped=zipped)
    with pytest.raises(DataError, match="system"):
        read_torch(path)
    assert list(tmp_path.iterdir()) == [path]


@CONTAINERS
def test_a_whole_module_is_refused(tmp_path: Path, zipped: bool) -> None:
    with pytest.raises(DataError, match="which no data file needs"):
        read_torch(saved(tmp_path / "model.pt", torch.nn.Linear(2, 2), zipped=zipped))


@CONTAINERS
def test_cut_off_files_are_refused(tmp_path: Path, zipped: bool) -> None:
    path = saved(tmp_path / "train.pt", {"edge": torch.arange(1000)}, zipped=zipped)
    content = path.read_bytes()
    for length in (0, 3, 20, 300, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(DataError, match=r"train.pt"):
            read_torch(path)


def test_a_packed_zip_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path / "train.pt", {"edge": torch.zeros(10**6)}, zipped=True)
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(tmp_path / "bomb.pt", "w", zipfile.ZIP_DEFLATED) as bomb:
        for name in source.namelist():
            bomb.writestr(name, source.read(name))
    with pytest.raises(DataError, match="packed zip"):
        read_torch(tmp_path / "bomb.pt")


def test_a_tensor_beyond_its_storage_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path / "train.pt", {"edge": torch.arange(200)}, zipped=True)
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(tmp_path / "long.pt", "w") as changed:
        for name in source.namelist():
            content = source.read(name)
            # The size (200,) of the tensor, not the 200 elements of its storage, is followed by a one-tuple.
            changed.writestr(
                name, content.replace(b"K\xc8\x85", b"K\xc9\x85") if name.endswith("data.pkl") else content
            )
    with pytest.raises(DataError, match="reaches beyond its storage"):
        read_torch(tmp_path / "long.pt")


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "train.pt"
    path.write_text("0,1\n2,3\n")
    with pytest.raises(DataError, match=r"train.pt"):
        read_torch(path)


@CONTAINERS
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_files_give_our_error_or_arrays(
    tmp_path_factory: pytest.TempPathFactory, zipped: bool, data: st.DataObject
) -> None:
    path = saved(tmp_path_factory.getbasetemp() / "damaged.pt", {"edge": torch.arange(6).view(3, 2)}, zipped=zipped)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    with suppress(DataError):
        read_torch(path)
