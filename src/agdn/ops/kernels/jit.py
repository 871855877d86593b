"""How kernels are compiled: parallel, without the GIL, cached on disk, and never at the price of a crash."""

from __future__ import annotations

import hashlib
import types as types_module
import warnings
from collections.abc import Callable, MutableMapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
import torch
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from torch.utils.weak import WeakIdKeyDictionary

from agdn.ops.backend import SlowPathWarning

# Full fast-math would let the compiler assume that NaN and infinity do not occur.
FASTMATH = {"reassoc", "contract", "nsz", "arcp"}
OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": FASTMATH, "error_model": "numpy"}


PARALLEL_FROM = 1 << 18


class Kernel:
    """A kernel in two forms: serial for small arrays, where starting threads costs more than the work, else parallel.

    Which one runs depends on the arrays' sizes alone, never on the number of threads, and so do the result's bits.
    Each form is compiled on first call, for the types of that call, and kept for the next process.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.serial = _compiled(function, parallel=False)
        self.parallel = _compiled(function, parallel=True)
        self.__doc__ = function.__doc__

    def __call__(self, *arguments: Any, work: int | None = None) -> None:
        """``work`` says how much there is to do where that is less than the largest array's size."""
        if work is None:
            work = max(argument.size for argument in arguments if isinstance(argument, np.ndarray))
        (self.parallel if work >= PARALLEL_FROM else self.serial)(*arguments)


def kernel(function: Callable[..., Any]) -> Kernel:
    return Kernel(function)


def serial_kernel(function: Callable[..., Any]) -> Any:
    """A kernel whose steps depend on each other."""
    return _compiled(function, parallel=False)


def _compiled(function: Callable[..., Any], *, parallel: bool) -> Any:
    options = {"parallel": parallel, **OPTIONS}
    # A name of its own: the cache on disk would take both forms for one, and a kernel for what it was when a piece of
    # it from another file has changed.
    form = "parallel" if parallel else "serial"
    named = types_module.FunctionType(
        function.__code__.replace(co_name=f"{function.__name__}_{form}_{sources(Path(__file__).parent)}"),
        function.__globals__,
    )
    named.__module__, named.__qualname__ = function.__module__, named.__code__.co_name
    try:
        return numba.njit(cache=True, **options)(named)
    except RuntimeError:  # numba's word for: no folder to keep the cache in
        _warn_uncached()
        return numba.njit(**options)(named)


@cache
def sources(folder: Path) -> str:
    """What the Python files of a folder hold, in short."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def row_function(function: Callable[..., Any]) -> Any:
    """A piece of a kernel: inlined by the compiler into the kernels that call it."""
    return numba.njit(**OPTIONS)(function)


def borrowing_function(function: Callable[..., Any]) -> Any:
    """A row function that neither makes nor returns arrays, so that none of its arguments need be counted.

    Counting is atomic and done once an argument and call: for a row of five neighbours it took longer than the sum.
    """
    return numba.njit(_nrt=False, forceinline=True, **OPTIONS)(function)


@cache
def _warn_uncached() -> None:
    warnings.warn(
        "no writable folder for compiled kernels: every process compiles its own; "
        "set NUMBA_CACHE_DIR to a folder that can be written",
        SlowPathWarning,
        stacklevel=5,
    )


def use_threads() -> None:
    """Numba's share of the cores is torch's.

    Where the two share one OpenMP library, Numba's start sets the number of threads for torch too: it is put back.
    """
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


@intrinsic
def lowest_bit(typing_context, bits):
    """The place of the lowest bit that is set in a uint64 other than 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], cgutils.true_bit)

    return types.uint64(types.uint64), generate


CHUNKS = 256


def chunks_of(indptr: np.ndarray, route: np.ndarray | None = None) -> np.ndarray:
    """Boundaries, in the route, of at most CHUNKS pieces with equal numbers of edges and rows."""
    num_rows = len(indptr) - 1
    if route is None:
        work = indptr + np.arange(num_rows + 1)
    else:
        work = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.diff(indptr)[route] + 1)])
    bounds = np.searchsorted(work, np.linspace(0, work[-1], min(CHUNKS, num_rows) + 1))
    bounds[0], bounds[-1] = 0, num_rows
    return bounds


def along(route: torch.Tensor | None, indptr: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Chunks and the route itself, the natural one for None: the first two arguments of kernels that follow one.

    They are found once for as long as ``indptr`` lives: on a small graph that takes a quarter of a product's time.
    """
    known = _followed.get(indptr)
    if known is not None and known[0] is route:
        return known[1]
    if route is not None:
        found = chunks_of(indptr.numpy(), route.numpy()), route.numpy()
    else:
        natural = np.arange(len(indptr) - 1, dtype=np.int32 if len(indptr) <= 2**31 else np.int64)
        found = chunks_of(indptr.numpy()), natural
    _followed[indptr] = route, found
    return found


_followed: MutableMapping[torch.Tensor, tuple[torch.Tensor | None, tuple[np.ndarray, np.ndarray]]] = (
    WeakIdKeyDictionary()
)


@lru_cache(maxsize=64)
def row_chunks(num_rows: int) -> np.ndarray:
    """Row boundaries of at most CHUNKS equal pieces."""
    return np.linspace(0, num_rows, min(CHUNKS, max(num_rows, 1)) + 1).astype(np.int64)
