"""Node ids on disk: integers as they are, strings as UTF-8 bytes and offsets, so that no object array is stored."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from agdn.data.errors import DataError

FIXED_WIDTH_LIMIT = 2**28  # bytes; past it one long id would make every row of a fixed-width array as long


def ids_to_arrays(ids: np.ndarray) -> dict[str, np.ndarray]:
    """The arrays that hold ``ids``, by file name."""
    if ids.ndim != 1:
        raise DataError(f"node_ids must have one id a node, got shape {ids.shape}")
    if ids.dtype.kind in "iu":
        return {"node_ids": np.ascontiguousarray(ids)}
    values = ids.tolist()
    if not all(isinstance(value, str) for value in values):
        raise DataError(f"node_ids must be integers or strings, got {ids.dtype}")
    try:
        encoded = [value.encode() for value in values]
    except UnicodeEncodeError as error:
        raise DataError(f"node id {error.object!r} is not valid Unicode text") from None
    lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
    return {
        "node_ids.bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8),
        "node_ids.offsets": np.concatenate([np.zeros(1, dtype=np.int64), lengths.cumsum()]),
    }


def ids_from_arrays(arrays: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """The ids that ``ids_to_arrays`` took apart; None where none were stored."""
    if "node_ids" in arrays:
        return arrays["node_ids"]
    if "node_ids.bytes" not in arrays or "node_ids.offsets" not in arrays:
        return None
    raw, offsets = arrays["node_ids.bytes"].tobytes(), arrays["node_ids.offsets"]
    if (
        offsets.ndim != 1
        or len(offsets) == 0
        or offsets[0] != 0
        or offsets[-1] != len(raw)
        or (np.diff(offsets) < 0).any()
    ):
        raise DataError("the stored node ids are damaged: their offsets do not fit their bytes")
    bounds = offsets.tolist()
    pairs = pairwise(bounds)
    try:
        values = [raw[start:end].decode() for start, end in pairs]
    except UnicodeDecodeError as error:
        raise DataError(f"the stored node ids are damaged: {error.reason}") from None
    return text_array(values)


def text_array(values: list[str]) -> np.ndarray:
    """Strings as a NumPy array: of fixed width where that is small, else of variable width."""
    longest = max(map(len, values), default=0)
    if 4 * longest * len(values) <= FIXED_WIDTH_LIMIT:
        return np.array(values, dtype=f"<U{max(longest, 1)}")
    return np.array(values, dtype=np.dtypes.StringDType())
