"""Generalised PageRank network: sum over k of gamma_k A^k MLP(X), gamma learnt.

Chien, Peng, Li and Milenkovic, Adaptive universal generalized PageRank graph neural network, ICLR 2021.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.models.predicted_first import PredictedFirst
from agdn.nn.weighting import personalised_pagerank
from agdn.ops import polynomial

Start = Literal["PPR", "random"]


class HopCoefficients(nn.Module):
    """gamma_0..gamma_K, at first those of personalised PageRank or drawn by chance."""

    def __init__(self, hops: int, start: Start, alpha: float) -> None:
        super().__init__()
        if start not in ("PPR", "random"):
            raise ValueError(f"start must be PPR or random, got {start!r}")
        if not 0 <= alpha <= 1:
            raise ValueError(f"GPRGNN needs alpha in [0, 1], got {alpha}")
        self.start, self.alpha = start, alpha
        self.gamma = nn.Parameter(torch.empty(hops + 1))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        hops = len(self.gamma) - 1
        with torch.no_grad():
            if self.start == "random":
                bound = (3 / (hops + 1)) ** 0.5
                self.gamma.uniform_(-bound, bound)
                self.gamma.div_(self.gamma.abs().sum())
            elif self.alpha == 0:  # the limit: all that is left after K steps
                self.gamma.copy_(torch.eye(hops + 1)[-1])
            else:
                self.gamma.copy_(personalised_pagerank(hops, alpha=self.alpha).coefficients)


class GPRGNN(PredictedFirst):
    """An MLP whose predictions are spread by a learnt polynomial of the adjacency; give it a graph with self-loops.

    Args:
        hidden_channels: Width of every layer of the MLP but the output.
        num_layers: Layers of the MLP.
        hops: K.
        start: First values of gamma: ``PPR``, alpha (1 - alpha)^k, or ``random``.
        alpha: Of PPR.
        dropout: Rate after each layer of the MLP but the last.
        input_dropout: Rate on the features.
        state_dropout: Rate on what is spread.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 2,
        hops: int = 10,
        *,
        start: Start = "PPR",
        alpha: float = 0.1,
        dropout: float = 0.0,
        input_dropout: float = 0.0,
        state_dropout: float = 0.0,
    ) -> None:
        super().__init__(
            in_channels,
            hidden_channels,
            out_channels,
            num_layers,
            hops,
            dropout=dropout,
            input_dropout=input_dropout,
            state_dropout=state_dropout,
        )
        self.filter = HopCoefficients(hops, start, alpha)

    def propagate(self, z: Tensor, adjacency: Tensor, graph: Graph) -> Tensor:
        return polynomial(z, adjacency, graph, self.filter.gamma)
