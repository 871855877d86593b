"""Label propagation: Y <- alpha A Y + (1 - alpha) Y_0, the labels that are known, so many times. Nothing is learnt.

Zhou, Bousquet, Lal, Weston and Schölkopf, Learning with local and global consistency, NeurIPS 2003.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.ops import normalised_adjacency, spread
from agdn.ops.sparse_rows import last_columns

SMALLEST = 1e-9


class LabelPropagation(nn.Module):
    """Spreads the last ``out_channels`` columns of its input: give it labels as input, and train it for 0 epochs.

    Args:
        hops: Number of steps.
        alpha: Share that comes from the neighbours.
        transition: ``row``, the mean of the neighbours, or ``sym``.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        hops: int = 50,
        alpha: float = 0.9,
        transition: Literal["row", "sym"] = "sym",
    ) -> None:
        super().__init__()
        if in_channels < out_channels:
            raise ValueError(f"LabelPropagation needs {out_channels} columns of labels as input; set task.labels")
        if hops < 0 or not 0 <= alpha <= 1:
            raise ValueError(f"LabelPropagation needs hops >= 0 and alpha in [0, 1], got {hops} and {alpha}")
        self.out_channels, self.hops, self.alpha, self.transition = out_channels, hops, alpha, transition

    def forward(self, x: Tensor, graph: Graph | Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """(N, C) logarithms of what arrived of each class, so that softmax gives its share."""
        graph = graph if isinstance(graph, Graph) else Graph(graph, x.size(0))
        known = last_columns(x, self.out_channels)
        weight = normalised_adjacency(graph, self.transition, edge_weight, dtype=x.dtype)
        values = spread(known, weight, graph, alpha=self.alpha, steps=self.hops)
        return torch.log(values.clamp(min=0) + SMALLEST)
