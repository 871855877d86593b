"""Counter-based dropout: what is kept is a hash of (seed, row id, column), so it is parallel and stores no mask.

A row's 64-bit key comes from the seed and the row's global id; a 32-bit mixer of key and column decides each entry.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from agdn.ops.kernels.jit import borrowing_function, kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX1, MIX2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SPREAD, MULTIPLY1, MULTIPLY2 = np.uint32(0x9E3779B9), np.uint32(0x7FEB352D), np.uint32(0x846CA68B)


@borrowing_function
def hash64(seed, counter):
    """64 well-mixed bits of a seed and a counter."""
    value = np.uint64(seed) + (np.uint64(counter) + np.uint64(1)) * GOLDEN
    value = (value ^ (value >> np.uint64(30))) * MIX1
    value = (value ^ (value >> np.uint64(27))) * MIX2
    return value ^ (value >> np.uint64(31))


@borrowing_function
def hash32(key, column):
    """32 well-mixed bits of a row's key and a column; Numba widens products, so each is cut back to 32 bits."""
    value = np.uint32(np.uint32(key) ^ np.uint32(np.uint32(column) * SPREAD))
    value = np.uint32((value ^ (value >> np.uint32(16))) * MULTIPLY1)
    value = np.uint32((value ^ (value >> np.uint32(15))) * MULTIPLY2)
    return np.uint32(value ^ (value >> np.uint32(16)) ^ np.uint32(key >> np.uint64(32)))


@borrowing_function
def threshold(p):
    return np.uint32(min(p * 4294967296.0, 4294967295.0))


@borrowing_function
def keep_row(seed, row, p, offset, full_channels, mask):
    """1 / (1 - p) or 0 for a row seen as (H, D), whose columns are offset.. of the full row's (H, full_channels)."""
    key, bar, scale = hash64(seed, row), threshold(p), 1 / (1 - p)
    for h in range(mask.shape[0]):
        start = h * full_channels + offset
        out = mask[h]
        for c in range(mask.shape[1]):
            out[c] = scale if hash32(key, start + c) >= bar else 0


@kernel
def drop(chunks, x, ids, with_ids, seed, p, offset, full_channels, out):
    """out = x * mask; rows (H, D) keyed on ``ids`` or on their position."""
    for chunk in prange(len(chunks) - 1):
        bar, scale = threshold(p), x.dtype.type(1 / (1 - p))
        for i in range(chunks[chunk], chunks[chunk + 1]):
            key = hash64(seed, ids[i] if with_ids else i)
            for h in range(x.shape[1]):
                row, o, start = x[i, h], out[i, h], h * full_channels + offset
                for c in range(x.shape[2]):
                    o[c] = row[c] * scale if hash32(key, start + c) >= bar else 0


@kernel
def drop_numbers(x, ids, with_ids, seed, p, out):
    """What :func:`drop` does to rows of a single number, in loops over rows that run in vectors."""
    bar, scale = threshold(p), x.dtype.type(1 / (1 - p))
    for i in prange(len(x)):
        out[i] = x[i] * scale if hash32(hash64(seed, np.uint64(ids[i]) if with_ids else np.uint64(i)), 0) >= bar else 0


@kernel
def relu_drop(chunks, x, ids, with_ids, seed, p, out):
    """out = relu(x) * mask, NaN kept; rows (W,)."""
    for chunk in prange(len(chunks) - 1):
        bar, scale = threshold(p), x.dtype.type(1 / (1 - p))
        for i in range(chunks[chunk], chunks[chunk + 1]):
            key = hash64(seed, ids[i] if with_ids else i)
            row, o = x[i], out[i]
            for c in range(x.shape[1]):
                value = row[c] * scale if hash32(key, c) >= bar else 0
                o[c] = value if not value <= 0 else 0


@kernel
def relu_drop_back(chunks, g, out, p, grad):
    """The gradient passes where something came out."""
    for chunk in prange(len(chunks) - 1):
        scale = g.dtype.type(1 / (1 - p))
        for i in range(chunks[chunk], chunks[chunk + 1]):
            up, o, d = g[i], out[i], grad[i]
            for c in range(g.shape[1]):
                d[c] = up[c] * scale if not o[c] <= 0 else 0


@kernel
def edge_keys(ids, with_ids, seed, keys):
    """A random key for every edge; the smallest are kept."""
    for e in prange(len(keys)):
        keys[e] = hash64(seed, np.uint64(ids[e]) if with_ids else np.uint64(e))
