"""The device of a name, if this machine has it."""

from __future__ import annotations

import torch


def usable_device(name: str) -> torch.device:
    try:
        device = torch.device(name)
        torch.empty(1, device=device).add_(1)
    except (RuntimeError, AssertionError, NotImplementedError):
        have = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
        raise ValueError(f"the device {name!r} is not to be had here; choose from {', '.join(have)}") from None
    if device.type == "meta":
        raise ValueError("the device 'meta' holds no numbers; choose cpu")
    return device
