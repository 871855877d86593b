"""The hashes of the compiled dropout in torch's own operators, for other devices: the same bits.

All arithmetic is modulo 2^64, which int64 does by itself; only shifts to the right must be told that there is no sign.
"""

from __future__ import annotations

import torch
from torch import Tensor

GOLDEN, MIX1, MIX2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
SPREAD, MULTIPLY1, MULTIPLY2 = 0x9E3779B9, 0x7FEB352D, 0x846CA68B
WORD32 = 0xFFFFFFFF


def hash64(seed: int, counters: Tensor) -> Tensor:
    """64 well-mixed bits of a seed and each int64 counter."""
    value = (counters.long() + 1) * _signed(GOLDEN) + seed
    value = (value ^ _shifted(value, 30)) * _signed(MIX1)
    value = (value ^ _shifted(value, 27)) * _signed(MIX2)
    return value ^ _shifted(value, 31)


def kept_entries(x: Tensor, p: float, seed: Tensor, ids: Tensor) -> Tensor:
    """1 / (1 - p) or 0 for every entry of x (rows, ...), by its row's id and its column."""
    key = hash64(int(seed), ids.to(x.device)).unsqueeze(1)
    column = torch.arange(x.numel() // max(1, x.size(0)), device=x.device)
    value = (key & WORD32) ^ (column * SPREAD & WORD32)
    value = (value ^ (value >> 16)) * MULTIPLY1 & WORD32
    value = (value ^ (value >> 15)) * MULTIPLY2 & WORD32
    value = value ^ (value >> 16) ^ _shifted(key, 32)
    kept = value >= int(min(p * 4294967296.0, 4294967295.0))
    return (kept.to(x.dtype) * (1 / (1 - p))).view(x.shape)


def _signed(word: int) -> int:
    return word - 2**64 if word >= 2**63 else word


def _shifted(value: Tensor, bits: int) -> Tensor:
    return (value >> bits) & ((1 << (64 - bits)) - 1)
