"""Stand-ins for the objects of legacy pickles: they keep what the file says and become arrays only once it adds up."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from pickle import UnpicklingError
from typing import Any

import numpy as np
from scipy import sparse

from agdn.data.sparse_parts import checked_csr

Spend = Callable[[int], None]
NUMERIC_CODES = frozenset({"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"})


class StandIn:
    """An object of the file: ``__setstate__`` takes the state it was saved with, ``plain`` makes the real thing."""

    state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def plain(self, spend: Spend) -> Any:
        raise UnpicklingError("it holds a piece of an object by itself")


class DTypeStandIn(StandIn):
    """``numpy.dtype(code, align, copy)``, then a state whose second entry is the byte order."""

    def __init__(self, code: str, align: object = False, copy: object = False) -> None:
        if type(code) is not str or code not in NUMERIC_CODES:
            raise UnpicklingError("it holds an array of something other than plain numbers")
        self.code = code

    def plain(self, spend: Spend) -> np.dtype[Any]:
        order, *structure = self.state[1:5]
        if order not in ("<", ">", "|", "=") or structure != [None, None, None]:
            raise UnpicklingError("it holds an array of something other than plain numbers")
        dtype: np.dtype[Any] = np.dtype(order + self.code)
        return dtype


class ArrayStandIn(StandIn):
    """An ndarray, by its state ``(version, shape, dtype, is Fortran order, raw bytes)``."""

    def plain(self, spend: Spend) -> np.ndarray:
        _, shape, dtype_stand_in, fortran, raw = self.state
        if not isinstance(dtype_stand_in, DTypeStandIn):
            raise UnpicklingError("it holds an array without a type")
        dtype = dtype_stand_in.plain(spend)
        shape = _sizes(shape)
        raw = raw.encode("latin1") if isinstance(raw, str) else raw
        if not isinstance(raw, bytes) or prod(shape) * dtype.itemsize != len(raw):
            raise UnpicklingError(f"it announces an array of shape {shape} and does not hold its bytes")
        spend(len(raw))
        array = np.frombuffer(raw, dtype).reshape(shape, order="F" if fortran else "C")
        return array.astype(dtype.newbyteorder("="))


class CsrStandIn(StandIn):
    """A SciPy csr_matrix, by its attributes."""

    def plain(self, spend: Spend) -> sparse.csr_matrix:
        data, indices, indptr = (_array(self.state[key], spend) for key in ("data", "indices", "indptr"))
        rows, columns = _sizes(self.state["_shape"])
        return checked_csr(data, indices, indptr, (rows, columns), where="a sparse matrix in it")


class StorageStandIn(StandIn):
    """A torch storage; the container fills in ``raw``."""

    def __init__(self, dtype: str, numel: int) -> None:
        self.dtype = np.dtype(dtype)
        self.numel = numel
        self.raw: bytes | None = None

    @property
    def nbytes(self) -> int:
        if self.numel < 0:
            raise UnpicklingError(f"it announces a tensor of {self.numel} elements")
        return self.numel * self.dtype.itemsize


class TensorStandIn(StandIn):
    """``torch._utils._rebuild_tensor_v2(storage, offset, size, stride, ...)``."""

    def __init__(self, storage: StorageStandIn, offset: int, size: Any, stride: Any, *_unused: object) -> None:
        self.storage, self.offset, self.size, self.stride = storage, offset, size, stride

    def plain(self, spend: Spend) -> np.ndarray:
        if not isinstance(self.storage, StorageStandIn) or self.storage.raw is None:
            raise UnpicklingError("it holds a tensor without its storage")
        shape, stride = _sizes(self.size), _sizes(self.stride)
        (offset,) = _sizes((self.offset,))
        itemsize = self.storage.dtype.itemsize
        last = offset + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
        numel = self.storage.numel
        if (prod(shape) and (last >= numel or prod(shape) > numel)) or len(self.storage.raw) != numel * itemsize:
            raise UnpicklingError(f"it holds a tensor of shape {shape} that reaches beyond its storage")
        spend(prod(shape) * itemsize)
        if not prod(shape):
            return np.empty(shape, self.storage.dtype)
        flat = np.frombuffer(self.storage.raw, self.storage.dtype)[offset:]
        return np.lib.stride_tricks.as_strided(flat, shape, [step * itemsize for step in stride]).copy()


def _array(value: Any, spend: Spend) -> np.ndarray:
    if not isinstance(value, ArrayStandIn):
        raise UnpicklingError("it holds a sparse matrix whose parts are not arrays")
    return value.plain(spend)


def _sizes(value: Any) -> tuple[int, ...]:
    if type(value) is not tuple or len(value) > 8 or not all(type(size) is int and 0 <= size < 2**48 for size in value):
        raise UnpicklingError("it holds a shape that is not a few small whole numbers")
    return value
