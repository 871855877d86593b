"""Scalable inception graph network: F([act(F_0(X)) ; act(F_1(A X)) ; ... ; act(F_K(A^K X))]), F feed-forward networks.

Frasca, Rossi, Eynard, Chamberlain, Bronstein and Monti, SIGN: Scalable inception graph neural networks, 2020.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from agdn.models.propagated_first import PropagatedFirst
from agdn.nn.linear import Linear
from agdn.ops import dropout
from agdn.ops.normalise import Normalisation


class FeedForward(nn.Module):
    """Linear layers with PReLU and dropout between them."""

    def __init__(self, widths: list[int], rate: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Linear(a, b) for a, b in pairwise(widths))
        self.activation = nn.PReLU() if len(self.layers) > 1 else None
        self.rate = rate

    def reset_parameters(self) -> None:
        for layer in self.layers:
            layer.reset_parameters()  # type: ignore[operator]
        if self.activation is not None:
            self.activation.reset_parameters()

    def forward(self, h: Tensor) -> Tensor:
        for layer in self.layers[:-1]:
            assert self.activation is not None
            h = dropout(self.activation(layer(h)), self.rate, self.training)
        out: Tensor = self.layers[-1](h)
        return out


class SIGN(PropagatedFirst):
    """A network of its own for every hop of the features, and one for all of them.

    Args:
        hidden_channels: Width of every layer but the output.
        hops: K, the hops beside the features themselves.
        num_layers: Layers of each of these networks.
        transition: How the adjacency is normalised.
        dropout: Rate between the layers.
        input_dropout: Rate on the hops.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        hops: int = 3,
        num_layers: int = 1,
        *,
        transition: Normalisation = "sym",
        dropout: float = 0.0,
        input_dropout: float = 0.0,
    ) -> None:
        super().__init__(out_channels, hops, transition)
        if num_layers < 1:
            raise ValueError(f"num_layers must be at least 1, got {num_layers}")
        inner = [hidden_channels] * (num_layers - 1)
        widths = [in_channels, *inner, hidden_channels]
        self.branches = nn.ModuleList(FeedForward(widths, dropout) for _ in range(hops + 1))
        self.activation = nn.PReLU()
        self.output = FeedForward([(hops + 1) * hidden_channels, *inner, out_channels], dropout)
        self.dropout, self.input_dropout = dropout, input_dropout

    def reset_parameters(self) -> None:
        for module in (*self.branches, self.activation, self.output):
            module.reset_parameters()

    def learnt(self, h: Tensor) -> Tensor:
        seen = [dropout(hop, self.input_dropout, self.training) for hop in h.unbind(1)]
        hidden = torch.cat([branch(hop) for branch, hop in zip(self.branches, seen, strict=True)], dim=1)
        out: Tensor = self.output(dropout(self.activation(hidden), self.dropout, self.training))
        return out
