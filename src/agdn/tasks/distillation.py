"""A student learns from a teacher's outputs beside the labels.

    loss = (1 - alpha) loss_on_labels + alpha T^2 mean over nodes and classes of q ln(q / p)
    q = softmax(teacher / T), p = softmax(student / T); for yes/no tasks the two answers of each

The mean is over all nodes that the student is asked about, labelled or not, and over their classes.
"""

from __future__ import annotations

from typing import Annotated

import torch
import torch.nn.functional as F
from pydantic import BaseModel, ConfigDict, Field, PositiveFloat
from torch import Tensor

from agdn.ops.halo import mean_over_parts
from agdn.tasks.inputs import Signals


class DistillationOptions(BaseModel):
    """How a student learns from a teacher.

    Attributes:
        alpha: Share of the loss that comes from the teacher.
        temperature: Divides the outputs of both before they are compared.
        teacher: Name of the teacher's runs, trained first where they are not there: the same recipe without a teacher.
            By default the student's name with ``-teacher``.
        runs: A folder with runs of any other model on the same data, used in place of that.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    alpha: Annotated[float, Field(ge=0, le=1)] = 0.95
    temperature: PositiveFloat = 0.7
    teacher: str | None = None
    runs: str | None = None


class Distillation:
    """``teacher``: (N, C) outputs of the teacher in evaluation mode, for every node."""

    def __init__(self, options: DistillationOptions, teacher: Tensor, target: str) -> None:
        if target == "numeric":
            raise ValueError("distillation compares classes; this target is a number")
        self.options, self.teacher, self.target = options, teacher.float(), target

    def loss(self, on_labels: Tensor, outputs: Tensor, signals: Signals) -> Tensor:
        """``outputs`` (seeds, C) are those of the student for the seeds of ``signals``."""
        teacher = self.teacher if signals.nodes is None else self.teacher[signals.nodes[: signals.num_seeds].cpu()]
        alpha, t = self.options.alpha, self.options.temperature
        student, teacher = outputs.float() / t, teacher.to(outputs.device) / t
        if self.target == "class":
            divergence = F.kl_div(student.log_softmax(1), teacher.softmax(1), reduction="none")
        else:
            answers = [torch.stack([values, -values]) for values in (student, teacher)]
            divergence = F.kl_div(F.logsigmoid(answers[0]), answers[1].sigmoid(), reduction="none")
        return (1 - alpha) * on_labels + alpha * t * t * mean_over_parts(divergence, signals.graph)
