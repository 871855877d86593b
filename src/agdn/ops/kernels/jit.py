"""How kernels are compiled: parallel, without the GIL, cached on disk, and never at the price of a crash."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
import torch
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from agdn.ops.backend import SlowPathWarning

# Full fast-math would let the compiler assume that NaN and infinity do not occur.
FASTMATH = {"reassoc", "contract", "nsz", "arcp"}


def kernel(function: Callable[..., Any] | None = None, *, parallel: bool = True) -> Any:
    """Compile on first call, for the types of that call; keep the machine code for the next process."""
    if function is None:
        return lambda given: kernel(given, parallel=parallel)
    options = {"parallel": parallel, "nogil": True, "fastmath": FASTMATH, "error_model": "numpy"}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # numba's word for: no folder to keep the cache in
        _warn_uncached()
        return numba.njit(**options)(function)


def row_function(function: Callable[..., Any]) -> Any:
    """A piece of a kernel: inlined by the compiler into the kernels that call it."""
    return numba.njit(nogil=True, fastmath=FASTMATH, error_model="numpy")(function)


@cache
def _warn_uncached() -> None:
    warnings.warn(
        "no writable folder for compiled kernels: every process compiles its own; "
        "set NUMBA_CACHE_DIR to a folder that can be written",
        SlowPathWarning,
        stacklevel=5,
    )


def use_threads() -> None:
    """Numba's share of the cores is torch's, and stays so: starting Numba's OpenMP threads would reset it."""
    threads = torch.get_num_threads()
    numba.set_num_threads(max(1, min(threads, numba.config.NUMBA_NUM_THREADS)))
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)


@intrinsic
def prefetch(typing_context, array, position):
    """Ask for the cache line of a flat array's element ahead of its use."""

    def generate(context, builder, signature, arguments):
        from llvmlite import ir

        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        function_type = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, function_type, "llvm.prefetch.p0")
        builder.call(function, [address, word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(array, position), generate


CHUNKS = 256


def chunks_of(indptr: np.ndarray) -> np.ndarray:
    """Row boundaries of at most CHUNKS pieces with equal numbers of edges and rows."""
    num_rows = len(indptr) - 1
    work = indptr + np.arange(num_rows + 1)
    bounds = np.searchsorted(work, np.linspace(0, work[-1], min(CHUNKS, num_rows) + 1))
    bounds[0], bounds[-1] = 0, num_rows
    return bounds


def row_chunks(num_rows: int) -> np.ndarray:
    """Row boundaries of at most CHUNKS equal pieces."""
    return np.linspace(0, num_rows, min(CHUNKS, max(num_rows, 1)) + 1).astype(np.int64)
