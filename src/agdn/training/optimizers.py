"""Optimisers by name, with torch's own options and defaults except for the learning rate."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import torch
from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat, PositiveFloat
from torch import nn

Momentum = Annotated[float, Field(ge=0, lt=1)]


class _Options(BaseModel):
    """What all of them have.

    Attributes:
        lr: Learning rate.
        weight_decay: Added to the gradient in proportion to the weights.
        decay_parts: Weight decay of parts of the model, by their names; ``weight_decay`` is that of the rest.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    optimizer: ClassVar[type[torch.optim.Optimizer]]

    lr: PositiveFloat = 0.01
    weight_decay: NonNegativeFloat = 0.0
    decay_parts: dict[str, NonNegativeFloat] = Field(default_factory=dict)

    def build(self, model: nn.Module) -> torch.optim.Optimizer:
        groups = _decay_groups(model, self.decay_parts)
        return self.optimizer(groups, **self.model_dump(exclude={"name", "decay_parts"}))


class Adam(_Options):
    """Adam.

    Attributes:
        betas: Decay of the running means of the gradient and of its square.
        eps: Added to the denominator.
    """

    optimizer = torch.optim.Adam

    name: Literal["adam"] = "adam"
    betas: tuple[Momentum, Momentum] = (0.9, 0.999)
    eps: PositiveFloat = 1e-8


class AdamW(_Options):
    """Adam with weight decay apart from the gradient; 0 by default, as in the paper's experiments.

    Attributes:
        weight_decay: Share, times the rate, that the weights lose in every step.
        betas: Decay of the running means of the gradient and of its square.
        eps: Added to the denominator.
    """

    optimizer = torch.optim.AdamW

    name: Literal["adamw"] = "adamw"
    betas: tuple[Momentum, Momentum] = (0.9, 0.999)
    eps: PositiveFloat = 1e-8


class RMSprop(_Options):
    """RMSprop.

    Attributes:
        alpha: Decay of the running mean of the squared gradient.
        eps: Added to the denominator.
        momentum: Share of the last step that the next one keeps.
    """

    optimizer = torch.optim.RMSprop

    name: Literal["rmsprop"] = "rmsprop"
    alpha: Momentum = 0.99
    eps: PositiveFloat = 1e-8
    momentum: Momentum = 0.0


class SGD(_Options):
    """Gradient descent.

    Attributes:
        momentum: Share of the last step that the next one keeps.
        nesterov: Look ahead along the momentum; needs one above 0.
    """

    optimizer = torch.optim.SGD

    name: Literal["sgd"] = "sgd"
    momentum: Momentum = 0.0
    nesterov: bool = False


OptimizerOptions = Annotated[Adam | AdamW | RMSprop | SGD, Field(discriminator="name")]
OPTIMIZERS: dict[str, type[Adam | AdamW | RMSprop | SGD]] = {
    "adam": Adam,
    "adamw": AdamW,
    "rmsprop": RMSprop,
    "sgd": SGD,
}


def _decay_groups(model: nn.Module, parts: dict[str, float]) -> list[dict[str, Any]]:
    """The rest of the model first, then each part; a part inside another part keeps its own decay."""
    of_part: dict[nn.Parameter, str] = {}
    for part in sorted(parts, key=len):
        try:
            module = model.get_submodule(part)
        except AttributeError:
            names = ", ".join(name for name, _ in model.named_modules() if name)
            raise ValueError(
                f"optimizer.decay_parts: the model has no part {part!r}; it has {names or 'none'}"
            ) from None
        of_part |= dict.fromkeys(module.parameters(), part)
    groups: dict[str | None, list[nn.Parameter]] = {None: [], **{part: [] for part in parts}}
    for parameter in model.parameters():
        groups[of_part.get(parameter)].append(parameter)
    decays = {part: {"weight_decay": decay} for part, decay in parts.items()}
    return [{"params": group, **decays.get(part or "", {})} for part, group in groups.items() if group]
