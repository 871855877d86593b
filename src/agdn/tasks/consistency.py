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

from agdn.graph import Graph
from agdn.ops.halo import halo_of, mean_over_parts


class ConsistencyOptions(BaseModel):
    """How far passes with different dropout are drawn together.

    Attributes:
        passes: How many in a step.
        temperature: Sharpens their mean, the target: the lower, the more.
        weight: Of the penalty beside the loss.
        confidence: Nodes count whose most likely class has a mean probability above this.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    passes: Annotated[int, Field(ge=2)] = 2
    temperature: PositiveFloat = 0.5
    weight: NonNegativeFloat = 1.0
    confidence: Annotated[float, Field(ge=0, lt=1)] = 0.0


def consistency_penalty(passes: Sequence[Tensor], options: ConsistencyOptions, graph: Graph | None = None) -> Tensor:
    """(rows, C) logits of every pass -> a scalar; of a part of a graph, what it adds to that of all parts."""
    probabilities = torch.stack([outputs.float().softmax(1) for outputs in passes])
    mean = probabilities.mean(0)
    sharpened = mean.detach() ** (1 / options.temperature)
    sharpened = sharpened / sharpened.sum(1, keepdim=True)
    sure = mean.detach().amax(1) > options.confidence
    apart = (probabilities - sharpened).square().sum(2)[:, sure]
    if not apart.numel() and (graph is None or halo_of(graph) is None):
        return options.weight * apart.sum()
    return options.weight * mean_over_parts(apart, graph)
