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


def reuse_freed_memory() -> bool:
    """Let this process keep what it frees, for its own next allocation, instead of handing it back to the system.

    A training step allocates and frees the same large tensors over and over; getting their pages anew each time can
    cost as much as computing on them. It concerns the whole process, so only programs call it, never an import.
    Returns whether the C library understood (glibc does).
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    trim_threshold, mmap_max = -1, -4
    return bool(mallopt(mmap_max, 0) and mallopt(trim_threshold, 2**31 - 1))


def empty(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """An uninitialised CPU tensor; a large one asks the system for large pages where it has them."""
    tensor = torch.empty(shape, dtype=dtype)
    size, advise, huge = tensor.nbytes, _madvise(), getattr(mmap, "MADV_HUGEPAGE", None)
    if size >= LARGE and advise is not None and huge is not None:
        start = -(-tensor.data_ptr() // mmap.PAGESIZE) * mmap.PAGESIZE
        length = tensor.data_ptr() + size - start
        advise(ctypes.c_void_p(start), ctypes.c_size_t(length), ctypes.c_int(huge))  # advice: failing it costs nothing
    return tensor
