"""How a model's raw outputs are read: as classes, as yes/no answers, or as numbers in the user's units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, get_args

import torch
from torch import Tensor

NodeTarget = Literal["class", "multilabel", "numeric"]


class Decoded(NamedTuple):
    """What the outputs say about each node."""

    values: Tensor  # (N,) class, (N, T) 0 or 1, or (N,) number
    probabilities: Tensor | None  # (N, C) or (N, T); None for numbers


@dataclass(frozen=True)
class NodeOutput:
    """All that is needed to read outputs without the training data; it goes to JSON and back.

    Attributes:
        center, scale: A number is predicted as ``output * scale + center``.
    """

    target: NodeTarget
    class_names: tuple[str, ...] | None = None
    center: float = 0.0
    scale: float = 1.0

    def decode(self, outputs: Tensor) -> Decoded:
        """(N, C) outputs -> predictions and their probabilities."""
        if self.target == "class":
            probabilities = outputs.float().softmax(1)
            return Decoded(probabilities.argmax(1), probabilities)
        if self.target == "multilabel":
            probabilities = outputs.float().sigmoid()
            return Decoded((probabilities > 0.5).long(), probabilities)
        return Decoded(self.numbers(outputs), None)

    def numbers(self, outputs: Tensor) -> Tensor:
        """(N, 1) outputs -> (N,) in the user's units."""
        return outputs.float().squeeze(1) * self.scale + self.center

    def standardized(self, y: Tensor) -> Tensor:
        """Numbers in the user's units -> what the model is trained to put out."""
        return (y - self.center) / self.scale

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> NodeOutput:
        try:
            names = content["class_names"]
            output = cls(
                content["target"],
                None if names is None else tuple(str(name) for name in names),
                float(content["center"]),
                float(content["scale"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"this is not the stored output of a node task: {error!r}") from None
        if output.target not in get_args(NodeTarget):
            raise ValueError(f"a node task has target {', '.join(get_args(NodeTarget))}, not {output.target!r}")
        return output


def fit_output(target: NodeTarget, y: Tensor, class_names: tuple[str, ...] | None, *, standardize: bool) -> NodeOutput:
    """The output of a task whose training nodes have the labels ``y``."""
    if target != "numeric" or not standardize:
        return NodeOutput(target, class_names)
    numbers = y.double()
    spread = float(numbers.std(correction=0)) if len(numbers) > 1 else 0.0
    scale = spread if torch.isfinite(torch.tensor(spread)) and spread > 0 else 1.0
    return NodeOutput(target, None, float(numbers.mean()), scale)
