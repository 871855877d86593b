"""An exponential moving average of the weights: often better than the weights of any one step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class Ema:
    """Averages the parameters of ``model`` after every step; buffers, such as running means, stay the model's own.

    In the first steps the decay is min(decay, (1 + steps) / (10 + steps)), so that the average soon forgets the
    random start.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay, self.steps = decay, 0
        self.averages: dict[str, Tensor] = {name: p.detach().clone() for name, p in model.named_parameters()}

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        self.steps += 1
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps))
        for name, parameter in model.named_parameters():
            self.averages[name].lerp_(parameter, 1 - decay)

    @contextmanager
    def applied(self, model: nn.Module) -> Iterator[None]:
        """The model has the averages for its parameters while the block runs."""
        parameters = dict(model.named_parameters())
        own = {name: parameter.data for name, parameter in parameters.items()}
        for name, parameter in parameters.items():
            parameter.data = self.averages[name]
        try:
            yield
        finally:
            for name, parameter in parameters.items():
                parameter.data = own[name]
