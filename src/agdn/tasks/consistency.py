"""Several passes with different dropout should agree, also on nodes without a label.

p = mean of the passes' softmax          target = p^(1/tau), normalised, without gradient
penalty = weight * mean over the passes and the sure nodes (max p > confidence) of |p_s - target|^2
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import torch
from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat, PositiveFloat
from torch import Tensor


class ConsistencyOptions(BaseModel):
    """See the module's head; ``passes`` is their number in a step."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    passes: Annotated[int, Field(ge=2)] = 2
    temperature: PositiveFloat = 0.5
    weight: NonNegativeFloat = 1.0
    confidence: Annotated[float, Field(ge=0, lt=1)] = 0.0


def consistency_penalty(passes: Sequence[Tensor], options: ConsistencyOptions) -> Tensor:
    """(rows, C) logits of every pass -> a scalar."""
    probabilities = torch.stack([outputs.float().softmax(1) for outputs in passes])
    mean = probabilities.mean(0)
    sharpened = mean.detach() ** (1 / options.temperature)
    sharpened = sharpened / sharpened.sum(1, keepdim=True)
    sure = mean.detach().amax(1) > options.confidence
    apart = (probabilities - sharpened).square().sum(2)[:, sure]
    return options.weight * (apart.mean() if apart.numel() else apart.sum())
