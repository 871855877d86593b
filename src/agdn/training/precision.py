"""Mixed precision where the device has it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal

import torch

from agdn.training.errors import TrainingError


def has_bf16(device: torch.device) -> bool:
    """Whether a device computes in bfloat16 itself, rather than by way of float32."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    if device.type == "cpu":
        return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
    return torch.amp.is_autocast_available(device.type)


def autocast(precision: Literal["fp32", "bf16"], device: torch.device) -> AbstractContextManager[Any]:
    """What a step and an evaluation run under."""
    if precision == "fp32":
        return nullcontext()
    if not has_bf16(device):
        raise TrainingError(f"the device {device} does not compute in bfloat16; use precision fp32")
    return torch.autocast(device.type, torch.bfloat16)
