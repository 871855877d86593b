"""Blocks of heads and channels."""

from __future__ import annotations

import pytest
import torch

from agdn.ops.blocks import BLOCK_BUFFERS, blocks, whole


@pytest.mark.parametrize(("heads", "channels"), [(1, 40), (3, 256), (4, 120), (1, 512), (6, 150)])
@pytest.mark.parametrize("hops", [1, 2, 3, 8, 20])
def test_blocks_cover_every_number_once(heads: int, channels: int, hops: int) -> None:
    seen = torch.zeros(heads, channels)
    for block in blocks(heads, channels, hops):
        block.of(seen).add_(1)
    assert bool((seen == 1).all())


@pytest.mark.parametrize("hops", [1, 2, 3, 5, 8])
def test_buffers_stay_within_the_budget_whatever_the_number_of_hops(hops: int) -> None:
    heads, channels = 3, 256
    largest, *_ = blocks(heads, channels, hops)
    buffers = hops + 1 if largest == whole(heads, channels) else hops + 4
    assert buffers * largest.shape[0] * largest.shape[1] <= BLOCK_BUFFERS * heads * channels


def test_the_first_block_is_the_largest() -> None:
    for hops in (3, 8, 12):
        sizes = [block.shape[0] * block.shape[1] for block in blocks(3, 200, hops)]
        assert sizes[0] == max(sizes)


def test_offset_is_the_place_in_a_whole_row() -> None:
    row = torch.arange(3 * 256).view(3, 256)
    for block in blocks(3, 256, 8):
        assert int(block.of(row)[0, 0]) == block.offset(256)
