"""MixHop: H' = act([A^p H W_p for p in the powers], side by side); the output is a softmax-weighted sum of the powers.

Abu-El-Haija, Perozzi, Kapoor, Alipourfard, Lerman, Harutyunyan, Ver Steeg and Galstyan, MixHop: Higher-order graph
convolutional architectures via sparsified neighborhood mixing, ICML 2019.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.models.stack import Activation, Stack, layer_widths
from agdn.nn.in_blocks import mapped_rows
from agdn.nn.init import glorot_uniform_
from agdn.nn.linear import Linear
from agdn.ops import normalised_adjacency, propagate
from agdn.ops.storage import Storage


class MixHopConv(nn.Module):
    """(N, in_channels) -> (N, powers * out_channels), the smallest power first.

    All powers are transformed together; those that go further walk on together.
    """

    def __init__(self, in_channels: int, out_channels: int, powers: tuple[int, ...]) -> None:
        super().__init__()
        self.out_channels, self.powers = out_channels, powers
        self.transform = Linear(in_channels, len(powers) * out_channels, bias=False)
        self.bias = nn.Parameter(torch.empty(len(powers) * out_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        glorot_uniform_(self.transform.weight, self.transform.in_features, self.out_channels, gain=1.0)
        nn.init.zeros_(self.bias)

    def forward(
        self, x: Tensor, graph: Graph, edge_attr: Tensor | None = None, edge_weight: Tensor | None = None
    ) -> Tensor:
        adjacency = normalised_adjacency(graph, "sym", edge_weight, dtype=x.dtype)
        return torch.cat(list(self._walked(self.transform(x), adjacency, graph)), dim=1) + self.bias

    @torch.no_grad()
    def in_blocks(self, x: Tensor, graph: Graph, edge_weight: Tensor | None = None, *, storage: Storage) -> Tensor:
        """The same in evaluation, with states in ``storage``."""
        adjacency = normalised_adjacency(graph, "sym", edge_weight, dtype=x.dtype)
        z = mapped_rows(self.transform, x, self.transform.out_features, storage)
        out = storage.empty(*z.shape, dtype=z.dtype)
        with storage.behind_kernels():
            for number, part in enumerate(self._walked(z, adjacency, graph)):
                columns = slice(number * self.out_channels, (number + 1) * self.out_channels)
                out[:, columns] = part
                out[:, columns] += self.bias[columns]
        return out

    def _walked(self, z: Tensor, adjacency: Tensor, graph: Graph) -> Iterator[Tensor]:
        """A^p of the columns that belong to p, power by power."""
        at = 0
        for number, power in enumerate(self.powers):
            for _ in range(power - at):
                z = propagate(z.unsqueeze(1), adjacency, graph).squeeze(1)
            at = power
            yield z[:, : self.out_channels]
            if number + 1 < len(self.powers):
                z = z[:, self.out_channels :]


class MixHop(Stack):
    """Layers in which a node sees several distances side by side; give it a graph with self-loops.

    Args:
        hidden_channels: Channels of every power, of every layer but the output.
        num_layers: Number of layers.
        powers: Of the adjacency, rising, 0 for the node itself.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 2,
        *,
        powers: Sequence[int] = (0, 1, 2),
        norm: str = "none",
        activation: Activation = "relu",
        dropout: float = 0.0,
        input_dropout: float = 0.0,
    ) -> None:
        if not powers or list(powers) != sorted(set(powers)) or powers[0] < 0:
            raise ValueError(f"powers of MixHop must rise from 0 or more, such as [0, 1, 2], got {list(powers)}")
        widths = layer_widths(in_channels, len(powers) * hidden_channels, num_layers)
        outputs = [*[hidden_channels] * (num_layers - 1), out_channels]
        super().__init__(
            (MixHopConv(a, b, tuple(powers)) for a, b in zip(widths, outputs, strict=True)),
            widths[1:],
            norm=norm,
            activation=activation,
            dropout=dropout,
            input_dropout=input_dropout,
        )
        self.share = nn.Parameter(torch.zeros(len(powers)))

    def reset_parameters(self) -> None:
        super().reset_parameters()
        nn.init.zeros_(self.share)

    def forward(
        self,
        x: Tensor,
        graph: Graph | Tensor,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
    ) -> Tensor:
        return self._summed(super().forward(x, graph, edge_attr, edge_weight))

    @torch.no_grad()
    def in_blocks(
        self,
        x: Tensor,
        graph: Graph,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
        *,
        storage: Storage,
    ) -> tuple[Tensor, list[Tensor | None]]:
        h, _ = super().in_blocks(x, graph, edge_attr, edge_weight, storage=storage)
        return mapped_rows(self._summed, h, h.size(1) // len(self.share), storage), []

    def _summed(self, h: Tensor) -> Tensor:
        return torch.einsum("npc,p->nc", h.unflatten(1, (len(self.share), -1)), self.share.softmax(0))
