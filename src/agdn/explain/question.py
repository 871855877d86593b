"""What is explained about a node: one number, linear in the model's outputs, that grows with what is predicted.

class       z_c - mean over classes of z        the mean changes no probability, and so it explains nothing
yes or no   z_t, or -z_t where the answer is no
number      z, in the user's units
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from agdn.part import unknown_name
from agdn.tasks.output import NodeOutput


@dataclass(frozen=True)
class Question:
    """A node and the answer about it that is explained.

    Attributes:
        node: Its row.
        direction: (C,) the score is <direction, outputs of the node>, and ``offset``.
        answer: The class, the task with its yes or no, or the number, in words.
        column: Of the outputs.
        predicted: Whether it is the model's own answer.
    """

    node: int
    direction: Tensor
    answer: str
    column: int
    output: NodeOutput
    offset: float = 0.0
    predicted: bool = True

    def score(self, outputs: Tensor) -> float:
        """Of (N, C) outputs."""
        return float(outputs[self.node].double() @ self.direction.double()) + self.offset

    def value(self, outputs: Tensor) -> float:
        """The probability of the answer, or the number itself."""
        row = outputs[self.node : self.node + 1].float().cpu()
        probabilities = self.output.decode(row).probabilities
        if probabilities is None:
            return float(self.output.numbers(row)[0])
        yes = float(probabilities[0, self.column])
        return yes if self.output.target == "class" or self.direction[self.column] > 0 else 1 - yes


def question(node: int, outputs: Tensor, output: NodeOutput, answer: str | None = None) -> Question:
    """About what the model predicts for ``node``, or about the class or task that ``answer`` names."""
    row = outputs[node].detach()
    width = len(row)
    names = output.class_names or tuple(map(str, range(width)))
    if output.target == "numeric":
        if answer is not None:
            raise ValueError(f"this model predicts a number; there is no class {answer!r} to explain")
        said = f"{float(output.numbers(row.unsqueeze(0).cpu())[0]):.4g}"
        return Question(node, torch.full_like(row, output.scale), said, 0, output, output.center)
    if answer is not None and answer not in names:
        raise ValueError(unknown_name("class" if output.target == "class" else "task", answer, list(names)))
    direction = torch.zeros_like(row)
    column = int(row.argmax()) if answer is None else names.index(answer)
    if output.target == "class":
        direction[column] = 1
        predicted = column == int(row.argmax())
        return Question(node, direction - 1 / width, names[column], column, output, predicted=predicted)
    yes = bool(row[column] > 0)
    direction[column] = 1 if yes else -1
    return Question(node, direction, f"{names[column]}: {'yes' if yes else 'no'}", column, output)
