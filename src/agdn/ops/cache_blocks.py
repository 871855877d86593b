"""Products with a table of rows in blocks of channels that fit a core's own cache.

On a small dense graph every row is read many times: ogbl-ddi's 4,267 rows of 512 floats (9 MB) five hundred times
each. Copied out in blocks of 64 channels (1 MB), they are read from the nearest large cache instead of the shared one:
about a third of the time. Forward the bits are those of the whole product; backward the dot products are summed block
by block. The block's width follows from the table alone, not from the machine, so neither depends on the machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np

from agdn.ops.kernels import hop
from agdn.ops.kernels.jit import row_chunks
from agdn.ops.kernels.rows import put_channels, take_channels

CORE_CACHE = 5 << 18  # bytes
NARROWEST = 128  # bytes of a row: below this, reading the edges once a block costs more than it saves
WORTHWHILE_READS = 32  # of a row, so that copying it does not count
LANES = 16


def worthwhile(table: np.ndarray, num_edges: int) -> bool:
    """Whether a product with an (N, H, D) ``table`` is done in blocks."""
    rows, _, channels = table.shape
    row_bytes = CORE_CACHE // max(1, rows)
    return (
        table.nbytes > 2 * CORE_CACHE
        and channels * table.itemsize > row_bytes >= NARROWEST
        and num_edges >= WORTHWHILE_READS * rows
    )


def product(chunks, route, indptr, indices, a, x, y) -> None:
    """As :func:`agdn.ops.kernels.hop.product`."""
    if not worthwhile(x, len(indices)):
        hop.product(chunks, route, indptr, indices, a, x, y)
        return
    for head, channels, packed in _blocks(x):
        out = np.empty((len(y), 1, packed.shape[2]), y.dtype)
        hop.product(chunks, route, indptr, indices, _column(a, head), packed, out)
        put_channels(row_chunks(len(y)), out[:, 0], y[:, head], channels.start)


def product_back(chunks, route, indptr, indices, a, y, x, x_grad, a_grad, want_a) -> None:
    """As :func:`agdn.ops.kernels.hop.product_back`."""
    if not worthwhile(y, len(indices)):
        hop.product_back(chunks, route, indptr, indices, a, y, x, x_grad, a_grad, want_a)
        return
    rows = row_chunks(len(x))
    for head, channels, packed in _blocks(y):
        own, out = np.empty((2, len(x), 1, packed.shape[2]), x.dtype)
        take_channels(rows, x[:, head], channels.start, own[:, 0])
        gradient = _column(a_grad, head)
        hop.product_back(
            chunks, route, indptr, indices, _column(a, head), packed, own, out, gradient, want_a
        )  # fmt: skip
        put_channels(rows, out[:, 0], x_grad[:, head], channels.start)
        if want_a and a.shape[1] > 1:
            a_grad[:, head] = gradient[:, 0]


def _blocks(table: np.ndarray) -> Iterator[tuple[int, slice, np.ndarray]]:
    """Head, channels and a copy (N, 1, width) of them."""
    rows, heads, channels = table.shape
    widest = CORE_CACHE // (rows * table.itemsize)
    step = ceil(channels / ceil(channels / widest) / LANES) * LANES
    for head in range(heads):
        for start in range(0, channels, step):
            part = slice(start, min(start + step, channels))
            packed = np.empty((rows, 1, part.stop - part.start), table.dtype)
            take_channels(row_chunks(rows), table[:, head], part.start, packed[:, 0])
            yield head, part, packed


def _column(edges: np.ndarray, head: int) -> np.ndarray:
    """(E, 1) of one head."""
    return edges if edges.shape[1] == 1 else np.ascontiguousarray(edges[:, head : head + 1])
