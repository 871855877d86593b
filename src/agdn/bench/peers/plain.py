"""What a user of plain torch writes for the single operations."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def relu_dropout(x: Tensor, p: float) -> Tensor:
    return F.dropout(torch.relu(x), p, True)


def pair_product(h: Tensor, pairs: Tensor) -> Tensor:
    return h[pairs[0]] * h[pairs[1]]
