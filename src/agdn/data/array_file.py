"""One .npy file -> array, checked against what it must be; memory-mapped where asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from agdn.data.errors import DataError

NUMBER_KINDS = "biuf"


def read_array(
    path: Path, *, dtype: str | None = None, shape: tuple[int, ...] | None = None, mmap: bool = False
) -> np.ndarray:
    """An array of numbers. A mapped one is copy-on-write: the caller may change it, the file stays as it is."""
    try:
        array = np.load(path, mmap_mode="c" if mmap else None, allow_pickle=False)
    except FileNotFoundError:
        raise DataError(f"{path} is missing") from None
    except MemoryError:
        raise DataError(f"{path} claims more numbers than fit in memory; it is damaged or truncated") from None
    except Exception as error:  # a damaged header makes NumPy raise whatever its tokenizer does
        if mmap and _is_empty(shape):
            return read_array(path, dtype=dtype, shape=shape)
        raise DataError(f"{path} is not a whole .npy file of numbers ({_first_line(error)}); write it again") from None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in NUMBER_KINDS:
        raise DataError(f"{path} must hold an array of numbers")
    if dtype is not None and array.dtype.str != dtype:
        raise DataError(f"{path} holds {array.dtype.str}, but {dtype} was stored; the file was changed")
    if shape is not None and array.shape != tuple(shape):
        raise DataError(f"{path} has shape {array.shape}, but {tuple(shape)} was stored; the file was changed")
    return array


def _is_empty(shape: tuple[int, ...] | None) -> bool:
    return shape is not None and 0 in shape


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120]
