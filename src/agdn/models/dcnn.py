"""Diffusion-convolutional network: z_ikc = tanh(w_kc (P^k X)_ic) for k = 0..K, flattened into a dense layer.

Atwood and Towsley, Diffusion-convolutional neural networks, NeurIPS 2016.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agdn.models.propagated_first import PropagatedFirst
from agdn.nn.linear import Linear
from agdn.ops import dropout
from agdn.ops.normalise import Normalisation


class DCNN(PropagatedFirst):
    """Every hop of every feature is weighed by a number of its own; P is the mean of the neighbours.

    Args:
        hops: K.
        transition: ``row``, the mean of the neighbours, or ``sym`` or ``col``.
        dropout: Rate on what the dense layer reads.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        hops: int = 2,
        transition: Normalisation = "row",
        dropout: float = 0.0,
    ) -> None:
        super().__init__(out_channels, hops, transition)
        self.kernel = nn.Parameter(torch.empty(hops + 1, in_channels))
        self.linear = Linear((hops + 1) * in_channels, out_channels)
        self.dropout = dropout
        nn.init.ones_(self.kernel)

    def reset_parameters(self) -> None:
        nn.init.ones_(self.kernel)
        self.linear.reset_parameters()

    def learnt(self, h: Tensor) -> Tensor:
        out: Tensor = self.linear(dropout(torch.tanh(self.kernel * h).flatten(1), self.dropout, self.training))
        return out
