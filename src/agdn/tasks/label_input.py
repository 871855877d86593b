"""Known labels as a part of the input, and what the model makes of the unknown ones given back to it.

    input = [x | y_in]     a row of y_in is the label of a node that is shown, and zero elsewhere

In training each labelled node is shown with probability ``mask_rate``; the loss asks for the others. In evaluation all
training labels are shown. Each of ``reuse`` further passes fills the rows that are not shown with the predicted
probabilities of the pass before, which runs without gradient.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import torch
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt
from torch import Tensor, nn

from agdn.tasks.inputs import Signals
from agdn.tasks.output import NodeOutput


class LabelOptions(BaseModel):
    """How known labels are shown.

    Attributes:
        mask_rate: Probability with which a labelled node is shown in training; the loss asks for the others.
        reuse: Further passes, in which nodes that are not shown carry the probabilities of the pass before.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    mask_rate: Annotated[float, Field(ge=0, lt=1)] = 0.5
    reuse: NonNegativeInt = 0


class Labelled(NamedTuple):
    """The labelled nodes among the rows of signals.

    Attributes:
        rows: Where they stand.
        positions: Which they are, as positions in the training part.
        seeds: Whether a loss may ask for them.
    """

    rows: Tensor
    positions: Tensor
    seeds: Tensor

    def part(self, mask: Tensor) -> Labelled:
        return Labelled(self.rows[mask], self.positions[mask], self.seeds[mask])


class LabelInput:
    """The labels of a task's training nodes, ready to be shown to a model.

    Args:
        y: The labels of the training part, as the task holds them.
        width: Number of columns: classes, yes/no tasks, or one for a number.
    """

    def __init__(self, options: LabelOptions, output: NodeOutput, y: Tensor, width: int) -> None:
        self.options, self.output, self.width = options, output, width
        if output.target == "class":
            self.encoded = nn.functional.one_hot(y, width).float()
        elif output.target == "multilabel":
            self.encoded = y.nan_to_num(0.0).float()
        else:
            self.encoded = output.standardized(y).float().unsqueeze(1)

    def divided(self, labelled: Labelled, count: int | None = None) -> tuple[Labelled, Labelled]:
        """For a step of training, by torch's generator: who is shown and who is asked for, at least one seed.

        ``count``: so many training nodes there are, of which ``labelled`` are those of a part of the graph.
        """
        if count is None:
            chance = torch.rand(len(labelled.seeds))
            last = chance[labelled.seeds].max()
        else:
            drawn = torch.rand(count)
            chance, last = drawn[labelled.positions], drawn.max()
        hidden = (chance >= self.options.mask_rate) | (chance == last)
        return labelled.part(~hidden), labelled.part(hidden & labelled.seeds)

    def signals(self, model: nn.Module, signals: Signals, shown: Labelled) -> Signals:
        """What the model is given in its last pass when the labels of ``shown`` are known."""
        device = signals.graph.device
        rows, known = shown.rows.to(device), self.encoded[shown.positions].to(device)
        labels = torch.zeros(signals.graph.num_nodes, self.width, device=device)
        labels[rows] = known
        for _ in range(self.options.reuse):
            with torch.no_grad():
                guessed = self._as_labels(signals.joined(labels).outputs(model))
            labels = guessed.index_copy(0, rows, known)
        return signals.joined(labels)

    def _as_labels(self, outputs: Tensor) -> Tensor:
        probabilities = self.output.decode(outputs).probabilities
        return outputs.float() if probabilities is None else probabilities
