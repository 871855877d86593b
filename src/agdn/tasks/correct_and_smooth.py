"""Correct and smooth: predictions improved after training by what is known of the training nodes.

e_0 = label - prediction on training nodes, 0 elsewhere        e = spread(e_0), cut to [-1, 1] in every step
y_0 = prediction + alpha_correct e, training nodes: label + alpha_correct e        y = spread(y_0), cut to [0, 1]
spread(z): z <- alpha A z + (1 - alpha) z_0, so many times, with A = D^-1 A or the symmetric form
"""

from __future__ import annotations

from typing import Annotated, Literal

import torch
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt
from torch import Tensor

from agdn.graph import Graph
from agdn.ops import normalised_adjacency, spread

Alpha = Annotated[float, Field(ge=0, le=1)]
SMALLEST = 1e-9  # of a probability, before its logarithm is taken


class SmoothingOptions(BaseModel):
    """How errors on training nodes, and then the predictions, are spread over the graph.

    Attributes:
        correct_alpha: Share of an error that comes from the neighbours in every step.
        correct_steps: Steps in which errors are spread.
        smooth_alpha: Share of a prediction that comes from the neighbours in every step.
        smooth_steps: Steps in which predictions are spread.
        transition: ``row``, the mean of the neighbours, or ``sym``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    correct_alpha: Alpha = 0.15
    correct_steps: NonNegativeInt = 10
    smooth_alpha: Alpha = 0.4
    smooth_steps: NonNegativeInt = 10
    transition: Literal["row", "sym"] = "row"


@torch.no_grad()
def correct_and_smooth(
    probabilities: Tensor, labels: Tensor, nodes: Tensor, graph: Graph, options: SmoothingOptions
) -> Tensor:
    """(N, C) probabilities, the labels (M, C) of ``nodes`` (M,) as probabilities -> (N, C), smoothed."""
    weight = normalised_adjacency(graph, options.transition, dtype=probabilities.dtype)
    error = torch.zeros_like(probabilities)
    error[nodes] = labels - probabilities[nodes]
    error = spread(error, weight, graph, alpha=options.correct_alpha, steps=options.correct_steps, bounds=(-1, 1))
    known = probabilities.index_copy(0, nodes, labels) + options.correct_alpha * error
    return spread(known, weight, graph, alpha=options.smooth_alpha, steps=options.smooth_steps, bounds=(0, 1))


def as_outputs(probabilities: Tensor) -> Tensor:
    """Outputs of which the softmax gives the (normalised) probabilities back."""
    return probabilities.clamp(min=SMALLEST).log()
