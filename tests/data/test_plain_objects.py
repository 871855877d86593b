"""Stand-ins become arrays only when everything about them fits."""

from pickle import UnpicklingError

import numpy as np
import pytest

from agdn.data.plain_objects import ArrayStandIn, DTypeStandIn, StorageStandIn, TensorStandIn


def array_of(shape: object, raw: object, code: str = "i8") -> ArrayStandIn:
    dtype = DTypeStandIn(code)
    dtype.__setstate__((3, "<", None, None, None, -1, -1, 0))
    array = ArrayStandIn()
    array.__setstate__((1, shape, dtype, False, raw))
    return array


def free(count: int) -> None:
    """A budget without end."""


def test_python_2_strings_are_bytes() -> None:
    raw = np.array([1, -1]).tobytes().decode("latin1")
    np.testing.assert_array_equal(array_of((2,), raw).plain(free), [1, -1])


@pytest.mark.parametrize("shape", [(3,), (-1,), (2**60, 2**60), ("2",), [2], (1,) * 40, (True,)])
def test_a_shape_that_does_not_fit_is_refused(shape: object) -> None:
    with pytest.raises(UnpicklingError):
        array_of(shape, bytes(16)).plain(free)


@pytest.mark.parametrize("code", ["O8", "V16", "S4", "U4", "M8", "f16", ("f8",)])
def test_only_plain_numbers_are_allowed(code: str) -> None:
    with pytest.raises(UnpicklingError, match="plain numbers"):
        DTypeStandIn(code)


def test_structured_types_are_refused() -> None:
    dtype = DTypeStandIn("i8")
    dtype.__setstate__((3, "<", None, ("a",), {"a": 0}, -1, -1, 0))
    with pytest.raises(UnpicklingError, match="plain numbers"):
        dtype.plain(free)


@pytest.mark.parametrize(
    ("offset", "size", "stride"),
    [(0, (5,), (1,)), (3, (2,), (1,)), (0, (2, 2), (2, 2)), (0, (9,), (0,)), (-1, (1,), (1,))],
)
def test_a_tensor_stays_within_its_storage(offset: int, size: tuple[int, ...], stride: tuple[int, ...]) -> None:
    storage = StorageStandIn("<i8", 4)
    storage.raw = bytes(32)
    with pytest.raises(UnpicklingError):
        TensorStandIn(storage, offset, size, stride).plain(free)
