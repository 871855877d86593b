"""Ids are stored without object arrays and come back as they were."""

from __future__ import annotations

import numpy as np
import pytest

from agdn.data import id_file
from agdn.data.errors import DataError
from agdn.data.id_file import ids_from_arrays, ids_to_arrays


@pytest.mark.parametrize(
    "ids",
    [
        np.array([3, -1, 2**62]),
        np.array(["a", "", "größer", "日本"]),
        np.array(["x", "y" * 50], dtype=object),
        np.array([], dtype="<U3"),
    ],
)
def test_there_and_back(ids: np.ndarray) -> None:
    arrays = ids_to_arrays(ids)
    assert all(array.dtype.kind in "iu" for array in arrays.values())
    back = ids_from_arrays(arrays)
    assert back is not None
    assert back.tolist() == ids.tolist()


def test_one_long_id_does_not_widen_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(id_file, "FIXED_WIDTH_LIMIT", 1000)
    back = ids_from_arrays(ids_to_arrays(np.array(["a", "b" * 500])))
    assert back is not None
    assert back.dtype.kind == "T"
    assert back.tolist() == ["a", "b" * 500]


def test_no_ids() -> None:
    assert ids_from_arrays({}) is None


@pytest.mark.parametrize("ids", [np.array([1.5]), np.array([1, "a"], dtype=object), np.zeros((2, 2), int)])
def test_what_is_no_id(ids: np.ndarray) -> None:
    with pytest.raises(DataError, match="node_ids must"):
        ids_to_arrays(ids)


@pytest.mark.parametrize("offsets", [[], [0, 5], [0, 2, 1, 3], [1, 3]])
def test_damaged_offsets(offsets: list[int]) -> None:
    arrays = {"node_ids.bytes": np.frombuffer(b"abc", np.uint8), "node_ids.offsets": np.array(offsets, dtype=np.int64)}
    with pytest.raises(DataError, match="offsets do not fit"):
        ids_from_arrays(arrays)


def test_damaged_bytes() -> None:
    arrays = {"node_ids.bytes": np.frombuffer(b"\xff", np.uint8), "node_ids.offsets": np.array([0, 1])}
    with pytest.raises(DataError, match="damaged"):
        ids_from_arrays(arrays)
