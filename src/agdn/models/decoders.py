"""What is made of the states of two nodes: one logit a pair."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agdn.nn.init import glorot_uniform_
from agdn.nn.linear import Linear
from agdn.ops import pair_dot, pair_product, relu_dropout


class HadamardMLP(nn.Module):
    """An MLP on the element-wise product h_u * h_v, symmetric in u and v.

    Args:
        hidden_channels: Width of its hidden layers; None for that of the states.
        num_layers: Number of linear layers.
        dropout: Rate between them.
    """

    def __init__(
        self, in_channels: int, hidden_channels: int | None = None, num_layers: int = 2, *, dropout: float = 0.0
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise ValueError(f"num_layers must be at least 1, got {num_layers}")
        widths = [in_channels] + [hidden_channels or in_channels] * (num_layers - 1) + [1]
        self.layers = nn.ModuleList(Linear(a, b) for a, b in pairwise(widths))
        self.dropout = dropout

    def reset_parameters(self) -> None:
        for layer in self.layers:
            layer.reset_parameters()  # type: ignore[operator]

    def forward(self, h: Tensor, pairs: Tensor) -> Tensor:
        """(N, C) node states and (2, P) node pairs -> (P,) logits."""
        x = pair_product(h, pairs)
        for layer in self.layers[:-1]:
            x = relu_dropout(layer(x), self.dropout, self.training)
        logits: Tensor = self.layers[-1](x).squeeze(-1)
        return logits


class Dot(nn.Module):
    """The inner product <h_u, h_v>."""

    def __init__(self) -> None:
        super().__init__()

    def reset_parameters(self) -> None:
        pass

    def forward(self, h: Tensor, pairs: Tensor) -> Tensor:
        """(N, C) node states and (2, P) node pairs -> (P,) logits."""
        return pair_dot(h, h, pairs)


class Cosine(nn.Module):
    """The cosine of the two states, times a number that is learnt: alone it would never be sure of anything.

    Args:
        scale: What that number begins with.
    """

    def __init__(self, scale: float = 10.0) -> None:
        super().__init__()
        if scale <= 0:
            raise ValueError(f"scale must be above 0, got {scale}")
        self._first = scale
        self.scale = nn.Parameter(torch.tensor(float(scale)))

    def reset_parameters(self) -> None:
        nn.init.constant_(self.scale, self._first)

    def forward(self, h: Tensor, pairs: Tensor) -> Tensor:
        """(N, C) node states and (2, P) node pairs -> (P,) logits."""
        h = F.normalize(h, dim=1, eps=1e-12)
        return self.scale * pair_dot(h, h, pairs)


class Bilinear(nn.Module):
    """<M h_u, h_v> with a matrix that is learnt: for links that have a direction."""

    def __init__(self, in_channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_channels, in_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        glorot_uniform_(self.weight, self.weight.size(1), self.weight.size(0), gain=1.0)

    def forward(self, h: Tensor, pairs: Tensor) -> Tensor:
        """(N, C) node states and (2, P) node pairs -> (P,) logits."""
        return pair_dot(h @ self.weight, h, pairs)


DECODERS: dict[str, Callable[..., nn.Module]] = {
    "mlp": HadamardMLP,
    "dot": Dot,
    "cosine": Cosine,
    "bilinear": Bilinear,
}
