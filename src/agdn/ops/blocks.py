"""Blocks of heads and channels: a hop treats them all alike, so a backward that recomputes takes them in turn."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from torch import Tensor

BLOCK_BUFFERS = 3  # what a recomputing backward may take for a block, in (N, H, D) tensors
CACHE_LINE = 16  # floats: a block's rows should begin where a line of the cache does
NARROWEST = 64  # channels: rows shorter than this cost more than they save


class Block(NamedTuple):
    """A part of the (H, D) numbers of every row."""

    heads: slice
    channels: slice

    @property
    def shape(self) -> tuple[int, int]:
        return self.heads.stop - self.heads.start, self.channels.stop - self.channels.start

    def of(self, tensor: Tensor) -> Tensor:
        """(..., H, D) -> this part of it."""
        return tensor[..., self.heads, self.channels]

    def offset(self, channels: int) -> int:
        """Position of its first number in a row of (H, channels)."""
        return int(self.heads.start * channels + self.channels.start)


def whole(heads: int, channels: int) -> Block:
    return Block(slice(0, heads), slice(0, channels))


def blocks(heads: int, channels: int, hops: int) -> list[Block]:
    """Blocks that stay within the budget: everything at once, else whole heads, else equal parts of a head.

    Everything at once needs a buffer a hop and one for gradients; a part needs copies of its inputs and output too.
    """
    if hops + 1 <= BLOCK_BUFFERS:
        return [whole(heads, channels)]
    width = BLOCK_BUFFERS * heads * channels // (hops + 4)
    if width >= channels:
        step = min(heads, width // channels)
        return [Block(slice(h, min(h + step, heads)), slice(0, channels)) for h in range(0, heads, step)]
    parts = ceil(channels / max(width - width % CACHE_LINE, NARROWEST))
    step = ceil(channels / parts / CACHE_LINE) * CACHE_LINE
    return [
        Block(slice(h, h + 1), slice(c, min(c + step, channels)))
        for h in range(heads)
        for c in range(0, channels, step)
    ]
