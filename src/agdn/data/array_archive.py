"""NumPy ``.npy`` and ``.npz`` files from strangers: plain numbers only, and never more than the file can hold."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from agdn.data.errors import DataError

MAX_RATIO = 200
MIN_CAP = 2**30


def read_npz(path: Path, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, np.ndarray]:
    """The named arrays of an archive; entries that are not asked for stay unread."""
    with _readable(path), zipfile.ZipFile(path) as archive:
        members = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
        missing = [key for key in required if key not in members]
        if missing:
            found = ", ".join(sorted(members)[:20])
            raise DataError(f"{path} has no array {', '.join(missing)}; it holds {found or 'nothing'}")
        wanted = [key for key in (*required, *optional) if key in members]
        cap = max(MIN_CAP, MAX_RATIO * path.stat().st_size)
        if sum(members[key].file_size for key in wanted) > cap:
            raise DataError(f"{path} unpacks to more than {MAX_RATIO} times its size and was refused")
        return {key: _member(archive, members[key], path) for key in wanted}


def array_names(path: Path) -> tuple[str, ...]:
    """The names of the arrays in an archive."""
    with _readable(path), zipfile.ZipFile(path) as archive:
        return tuple(name.removesuffix(".npy") for name in archive.namelist())


def read_npy(path: Path) -> np.ndarray:
    """One array, mapped from disk and read-only."""
    with _readable(path):
        with path.open("rb") as stream:
            _check_header(stream, path.stat().st_size, str(path))
        array: np.ndarray = np.load(path, mmap_mode="r", allow_pickle=False)
        return array


def _member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> np.ndarray:
    where = f"{path}, array {entry.filename.removesuffix('.npy')},"
    with archive.open(entry) as stream:
        _check_header(stream, entry.file_size, where)
    with archive.open(entry) as stream:
        array: np.ndarray = npy.read_array(stream, allow_pickle=False)
    return array


def _check_header(stream: IO[bytes], size: int, where: str) -> None:
    version = npy.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise DataError(f"{where} is of NumPy format {version}, which holds no plain numbers")
    read_header: Any = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read_header(stream)
    if dtype.hasobject or dtype.kind not in "biufUS":
        raise DataError(f"{where} holds Python objects ({dtype}), which are never loaded; save it as plain numbers")
    if any(side < 0 for side in shape) or prod(shape) * dtype.itemsize > size:
        raise DataError(f"{where} announces shape {shape}, more than the file holds; fetch it again")


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except DataError:
        raise
    except FileNotFoundError:
        raise DataError(f"{path} is missing") from None
    except Exception as error:
        raise DataError(f"{path} is not a readable NumPy file: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:120]
