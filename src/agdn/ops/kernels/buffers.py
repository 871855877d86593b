"""Large buffers on large pages: fewer page faults when they are new, fewer address look-ups when rows are gathered."""

from __future__ import annotations

import ctypes
import mmap
from functools import cache
from typing import Any

import torch
from torch import Tensor

LARGE = 1 << 22


@cache
def _madvise() -> Any:
    try:
        return ctypes.CDLL(None).madvise
    except (AttributeError, OSError):
        return None


def empty(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """An uninitialised CPU tensor; a large one asks the system for large pages where it has them."""
    tensor = torch.empty(shape, dtype=dtype)
    size, advise, huge = tensor.nbytes, _madvise(), getattr(mmap, "MADV_HUGEPAGE", None)
    if size >= LARGE and advise is not None and huge is not None:
        start = -(-tensor.data_ptr() // mmap.PAGESIZE) * mmap.PAGESIZE
        length = tensor.data_ptr() + size - start
        advise(ctypes.c_void_p(start), ctypes.c_size_t(length), ctypes.c_int(huge))  # advice: failing it costs nothing
    return tensor
