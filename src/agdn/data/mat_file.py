"""A sparse matrix from a MATLAB file of versions 5 to 7.

SciPy's reader trusts the types and sizes in a file and crashes the process on damaged ones; this one refuses them.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agdn.data.errors import DataError

HEADER = 128
COMPRESSED, MATRIX = 15, 14
NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
CLASSES = {1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 6: "double", 7: "single"}
SPARSE = 5
MAX_BYTES = 2**30
MAX_RATIO = 100


@dataclass(frozen=True)
class SparseColumns:
    """The matrix by columns, as stored: nothing about it is checked yet."""

    data: np.ndarray
    row: np.ndarray
    indptr: np.ndarray
    shape: tuple[int, int]


class _Malformed(Exception):
    """The bytes are not what the format says."""


def read_sparse(path: Path, name: str) -> SparseColumns:
    """The sparse matrix called ``name``; every other variable is skipped unread."""
    content = _content(path)
    seen: list[str] = []
    try:
        order = {b"IM": "<", b"MI": ">"}[content[126:128]]
        for kind, body in _elements(content[HEADER:], order):
            variable = _unpacked(body, order, path) if kind == COMPRESSED else body
            if kind not in (COMPRESSED, MATRIX):
                raise _Malformed
            parts = _elements(variable, order)
            (_, flags), (_, dimensions), (_, title) = (next(parts) for _ in range(3))
            array_class = _numbers(6, flags, order)[0] & 0xFF
            seen.append(f"{title.decode('latin1')} ({CLASSES.get(int(array_class), 'numbers')})")
            if title == name.encode() and array_class == SPARSE:
                rows, columns = _numbers(5, dimensions, order).tolist()
                (row_kind, row), (pointer_kind, pointers), (data_kind, data) = (next(parts) for _ in range(3))
                return SparseColumns(
                    data=_numbers(data_kind, data, order),
                    row=_numbers(row_kind, row, order),
                    indptr=_numbers(pointer_kind, pointers, order),
                    shape=(rows, columns),
                )
    except (
        _Malformed,
        StopIteration,
        RuntimeError,
        ValueError,
        KeyError,
        IndexError,
        struct.error,
        zlib.error,
    ) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{path} is not a readable MATLAB file: it is damaged or of another format") from None
    raise DataError(f"{path} has no sparse matrix {name}; it holds {', '.join(seen) or 'nothing'}")


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"{path} is larger than {MAX_BYTES >> 20} MB and was refused")
        content = path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"{path} is missing") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None
    if content.startswith((b"MATLAB 7.3", b"\x89HDF")):
        raise DataError(f"{path} is a MATLAB 7.3 file; save it again with -v7")
    if len(content) < HEADER or content[126:128] not in (b"IM", b"MI"):
        raise DataError(f"{path} is not a readable MATLAB file: it has no header of versions 5 to 7")
    return content


def _elements(content: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    """Type and bytes of each element: a tag of 8 bytes and its data, or up to 4 bytes of data within the tag."""
    at = 0
    while at + 8 <= len(content):
        kind, size = struct.unpack_from(f"{order}II", content, at)
        if kind >> 16:
            kind, size, start, following = kind & 0xFFFF, kind >> 16, at + 4, at + 8
        else:
            start = at + 8
            following = start + (size if kind == COMPRESSED else -(-size // 8) * 8)
        if start + size > len(content) or (following == at + 8 and size > 4):
            raise _Malformed
        yield kind, content[start : start + size]
        at = following


def _unpacked(packed: bytes, order: str, path: Path) -> bytes:
    unpacker = zlib.decompressobj()
    limit = max(2**20, MAX_RATIO * len(packed))
    unpacked = unpacker.decompress(packed, limit)
    if unpacker.unconsumed_tail:
        raise DataError(f"{path} unpacks to more than {MAX_RATIO} times its size and was refused")
    kind, body = next(_elements(unpacked, order))
    if kind != MATRIX:
        raise _Malformed
    return body


def _numbers(kind: int, content: bytes, order: str) -> np.ndarray:
    return np.frombuffer(content, np.dtype(order + NUMBERS[kind])).astype(NUMBERS[kind])
