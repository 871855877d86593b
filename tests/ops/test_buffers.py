import gc

import pytest
import torch

from agdn.ops.kernels import buffers
from agdn.ops.kernels.buffers import LARGE, empty, reuse_freed_memory, rounded_up


@pytest.fixture
def keeping():
    gc.collect()  # what other tests left
    reuse_freed_memory()
    yield buffers._kept
    reuse_freed_memory(False)
    assert not buffers._kept.regions


def kept_sizes() -> list[int]:
    return [len(region) for region in buffers._kept.regions]


def test_it_is_an_ordinary_tensor() -> None:
    for shape, dtype in (((3, 4), torch.float32), ((LARGE // 8, 2), torch.float64), ((0, 5), torch.float32)):
        tensor = empty(shape, dtype)
        assert (tuple(tensor.shape), tensor.dtype, tensor.is_contiguous()) == (shape, dtype, True)
        assert not tensor._is_view()
        tensor.fill_(2)
        assert tensor.sum() == 2 * tensor.numel()


SIZE = LARGE * 11 // 8  # that no other test uses


def test_what_is_freed_is_used_again(keeping) -> None:
    first = empty((SIZE,), torch.int8)
    address, part = first.data_ptr(), first[5:9]
    del first
    assert SIZE not in kept_sizes()  # a part of it is still in use
    del part
    assert kept_sizes().count(SIZE) == 1
    again = empty((SIZE,), torch.int8)
    assert again.data_ptr() == address
    assert SIZE not in kept_sizes()


def test_batches_that_differ_a_little_use_the_same_memory(keeping) -> None:
    before = len(kept_sizes())
    for size in range(SIZE - LARGE // 8 + 1, SIZE + 1, 9973):
        empty((size,), torch.int8)
    assert len(kept_sizes()) == before + 1
    assert all(size <= rounded_up(size) < 1.15 * size for size in range(LARGE, 5 * LARGE, 65_537))


def test_nothing_is_kept_unasked() -> None:
    empty((SIZE,), torch.int8)
    assert SIZE not in kept_sizes()


def test_what_is_kept_stays_within_the_limit(keeping) -> None:
    keeping.limit = 3 * LARGE
    for size in (LARGE, LARGE + 4096, LARGE + 8192, LARGE):
        empty((size,), torch.int8)
    assert sum(kept_sizes()) <= keeping.limit
    assert kept_sizes()[-1] == LARGE  # what was freed last stays
    empty((4 * LARGE,), torch.int8)
    assert 4 * LARGE not in kept_sizes()


def test_what_is_in_use_again_is_no_longer_kept(keeping) -> None:
    empty((SIZE,), torch.int8)
    again = empty((SIZE,), torch.int8)
    empty((LARGE,), torch.int8)
    reuse_freed_memory(False)
    assert kept_sizes() == []
    assert len(again) == SIZE


def test_too_much_is_a_memory_error() -> None:
    with pytest.raises(MemoryError, match="can't allocate memory"):
        empty((1 << 50,), torch.float32)
