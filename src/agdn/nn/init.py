"""Glorot initialisation with the fans spelt out, since most of our parameters are not (out, in) matrices."""

from __future__ import annotations

import math

import torch
from torch import Tensor

RELU_GAIN = math.sqrt(2.0)


def glorot_normal_(tensor: Tensor, fan_in: int, fan_out: int, gain: float = RELU_GAIN) -> Tensor:
    """Normal with std = gain * sqrt(2 / (fan_in + fan_out))."""
    with torch.no_grad():
        return tensor.normal_(0.0, gain * math.sqrt(2.0 / (fan_in + fan_out)))


def glorot_uniform_(tensor: Tensor, fan_in: int, fan_out: int, gain: float = RELU_GAIN) -> Tensor:
    """Uniform in +-gain * sqrt(6 / (fan_in + fan_out))."""
    bound = gain * math.sqrt(6.0 / (fan_in + fan_out))
    with torch.no_grad():
        return tensor.uniform_(-bound, bound)


def query_(tensor: Tensor) -> Tensor:
    """An (H, D) stack of attention queries, as Glorot sees a (1, H, D) tensor."""
    heads, channels = tensor.shape
    return glorot_normal_(tensor, heads * channels, channels)
