"""Large buffers on large pages: fewer page faults when they are new, fewer address look-ups when rows are gathered.

A process that asks for it (``reuse_freed_memory``) keeps the buffers it has freed, pages and all, for the next of about
the same size. Otherwise they go back to the system, which is slow to hand out new ones.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextvars import ContextVar

import numpy as np
import torch
from torch import Tensor

LARGE = 1 << 22
COMPUTED = {torch.float32: np.float32, torch.float64: np.float64}
KEPT_SHARE = 0.5  # of the machine's memory, at most
TRIM_THRESHOLD, MMAP_MAX = -1, -4  # as glibc numbers the options of mallopt


def empty(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """An uninitialised CPU tensor; a large one lies on large pages where the system has them."""
    count = int(np.prod(shape, dtype=np.int64))
    size = count * dtype.itemsize
    if size < LARGE or not hasattr(mmap, "MAP_PRIVATE"):
        return torch.empty(shape, dtype=dtype)
    provider = _provider.get()
    if provider is not None:
        return tensor_on(provider(size), shape, dtype)
    roomy = rounded_up(size)
    region = _kept.take(roomy) or anonymous(roomy)
    array = np.frombuffer(region, np.uint8, size)
    weakref.finalize(array, _kept.give, region).atexit = False  # when the last tensor that uses it is gone
    return _shaped(array, shape, dtype)


def rounded_up(size: int) -> int:
    """One of eight sizes between two powers of two: batches, no two alike, then use each other's memory."""
    step = 1 << max(size.bit_length() - 4, 0)
    return -(-size // step) * step


def tensor_on(region: mmap.mmap, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """A tensor whose memory is the whole region, which lives as long as it."""
    return _shaped(np.frombuffer(region, np.uint8), shape, dtype)


def _shaped(array: np.ndarray, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Computed types are shaped by NumPy: autograd lets no view be added to that is an operator's result."""
    if dtype not in COMPUTED:
        return torch.from_numpy(array).view(dtype).view(shape)
    return torch.from_numpy(array.view(COMPUTED[dtype]).reshape(shape))


@contextlib.contextmanager
def provided_by(provider: Callable[[int], mmap.mmap]) -> Iterator[None]:
    """While the block runs, ``provider`` makes the large buffers."""
    token = _provider.set(provider)
    try:
        yield
    finally:
        _provider.reset(token)


def reuse_freed_memory(reuse: bool = True) -> bool:
    """Let this process keep what it frees, for its own next allocation, instead of handing it back to the system.

    A training step allocates and frees the same large tensors over and over; getting their pages anew each time can
    cost as much as computing on them. It concerns the whole process, so only programs call it, never an import.
    Returns whether the C library understood (glibc does).
    """
    _kept.limit = int(KEPT_SHARE * _machine_memory()) if reuse else 0
    _kept.shrink()
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    return bool(mallopt(MMAP_MAX, 0 if reuse else 1 << 16) and mallopt(TRIM_THRESHOLD, 2**31 - 1 if reuse else 1 << 17))


def hand_back_freed_memory() -> None:
    """Give what was freed and kept back to the system: what is resident then is what is in use."""
    limit, _kept.limit = _kept.limit, 0
    _kept.shrink()
    _kept.limit = limit
    with contextlib.suppress(AttributeError, OSError):  # glibc's
        ctypes.CDLL(None).malloc_trim(0)


class _Kept:
    """Freed regions, no more than ``limit`` bytes in all; those freed longest ago go first.

    Each step changes the list by one call, since freeing a buffer anywhere may bring another one here.
    """

    def __init__(self) -> None:
        self.limit = 0
        self.regions: list[mmap.mmap] = []
        self.lock = threading.RLock()  # a buffer may be freed while another is asked for, by the same thread

    def take(self, size: int) -> mmap.mmap | None:
        with self.lock:
            for at in reversed(range(len(self.regions))):
                if len(self.regions[at]) == size:
                    return self.regions.pop(at)
            return None

    def give(self, region: mmap.mmap) -> None:
        with self.lock:
            if len(region) <= self.limit:
                self.regions.append(region)
                self.shrink()

    def shrink(self) -> None:
        with self.lock:
            while sum(map(len, self.regions)) > self.limit:
                self.regions.pop(0)


_kept = _Kept()
_provider: ContextVar[Callable[[int], mmap.mmap] | None] = ContextVar("provider", default=None)


def anonymous(size: int) -> mmap.mmap:
    """New memory of the process, on large pages where the system has them."""
    try:
        region = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError:
        raise MemoryError(f"can't allocate memory: {size} bytes for a buffer") from None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # advice: a system that does not take it is slower, not wrong
            region.madvise(mmap.MADV_HUGEPAGE)
    return region


def _machine_memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 0
