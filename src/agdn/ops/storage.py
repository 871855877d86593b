"""Where the states of a large inference lie: in memory up to a limit, beyond it in files that are mapped into memory.

The files are nameless and vanish with the tensors. Their pages belong to the file, so the system can write them out
and take them back whenever memory is short.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from agdn.ops.kernels import buffers

ROW_BLOCK = 1 << 14  # rows computed together: fixed, so that results do not depend on where states lie


class Storage:
    """Hands out tensors of states.

    Args:
        limit: Bytes that may lie in memory at once; None for all.
        folder: Where the files go; by default the system's folder for temporary files.

    Attributes:
        in_memory: Bytes that lie in memory now.
        in_files: Bytes that lie in files now.
    """

    def __init__(self, limit: int | None = None, folder: Path | str | None = None) -> None:
        self.limit, self.folder = limit, folder
        self.in_memory = self.in_files = 0

    def empty(self, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """An uninitialised CPU tensor."""
        size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        if size == 0:
            return torch.empty(shape, dtype=dtype)
        return buffers.tensor_on(self._region(size), shape, dtype)

    @contextmanager
    def behind_kernels(self) -> Iterator[None]:
        """While the block runs, the large buffers of the kernels lie here too."""
        with buffers.provided_by(self._region):
            yield

    def _region(self, size: int) -> mmap.mmap:
        spills = self.limit is not None and self.in_memory + size > self.limit
        region = self._file(size) if spills else buffers.anonymous(size)
        place = "in_files" if spills else "in_memory"
        setattr(self, place, getattr(self, place) + size)
        weakref.finalize(region, self._freed, place, size).atexit = False
        return region

    def _freed(self, place: str, size: int) -> None:
        setattr(self, place, getattr(self, place) - size)

    def _file(self, size: int) -> mmap.mmap:
        folder = self.folder or tempfile.gettempdir()
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                os.posix_fallocate(file.fileno(), 0, size)  # else a full disk would end the process at some later write
                return mmap.mmap(file.fileno(), size)
        except OSError as error:
            raise OSError(
                error.errno,
                f"no room for {size / 1e9:.1f} GB of hidden states ({os.strerror(error.errno or 0)})",
                folder,
            ) from None


def row_blocks(rows: int) -> Iterator[slice]:
    """Fixed blocks of rows."""
    return (slice(start, min(start + ROW_BLOCK, rows)) for start in range(0, rows, ROW_BLOCK))
