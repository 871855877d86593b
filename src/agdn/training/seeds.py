"""One seed for every generator that a run may draw from."""

from __future__ import annotations

import random

import numpy as np
import torch


def seed_everything(seed: int) -> None:
    """Seed Python's, NumPy's and torch's global generators (torch's on every device)."""
    if not 0 <= seed < 2**32:
        raise ValueError(f"a seed must lie in 0..{2**32 - 1}, got {seed}")
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - the global generator is what other libraries draw from
    torch.manual_seed(seed)
