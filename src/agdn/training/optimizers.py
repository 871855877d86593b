"""Optimisers by name, with torch's own options and defaults except for the learning rate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

import torch
from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat, PositiveFloat
from torch import nn

Momentum = Annotated[float, Field(ge=0, lt=1)]


class _Options(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    lr: PositiveFloat = 0.01
    weight_decay: NonNegativeFloat = 0.0


class Adam(_Options):
    name: Literal["adam"] = "adam"
    betas: tuple[Momentum, Momentum] = (0.9, 0.999)
    eps: PositiveFloat = 1e-8

    def build(self, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.Adam(parameters, **self.model_dump(exclude={"name"}))


class AdamW(_Options):
    """Weight decay apart from the gradient; 0 by default, as in the paper's experiments."""

    name: Literal["adamw"] = "adamw"
    betas: tuple[Momentum, Momentum] = (0.9, 0.999)
    eps: PositiveFloat = 1e-8

    def build(self, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.AdamW(parameters, **self.model_dump(exclude={"name"}))


class RMSprop(_Options):
    name: Literal["rmsprop"] = "rmsprop"
    alpha: Momentum = 0.99
    eps: PositiveFloat = 1e-8
    momentum: Momentum = 0.0

    def build(self, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.RMSprop(parameters, **self.model_dump(exclude={"name"}))


class SGD(_Options):
    name: Literal["sgd"] = "sgd"
    momentum: Momentum = 0.0
    nesterov: bool = False

    def build(self, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.SGD(parameters, **self.model_dump(exclude={"name"}))


OptimizerOptions = Annotated[Adam | AdamW | RMSprop | SGD, Field(discriminator="name")]
OPTIMIZERS: dict[str, type[Adam | AdamW | RMSprop | SGD]] = {
    "adam": Adam,
    "adamw": AdamW,
    "rmsprop": RMSprop,
    "sgd": SGD,
}
