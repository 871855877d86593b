"""Models that predict first and spread the predictions over the graph: APPNP, GPR-GNN and DAGNN."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.models.mlp import MLP
from agdn.nn.in_blocks import mapped_rows
from agdn.nn.norm import ROW_WISE
from agdn.ops import dropout, normalised_adjacency
from agdn.ops.halo import own_ids
from agdn.ops.sparse_rows import dense
from agdn.ops.storage import Storage


class PredictedFirst(nn.Module, ABC):
    """Z = MLP(X), propagated as the model says over the symmetric normalised adjacency; no self-loops are added.

    Args:
        hidden_channels: Width of every layer of the MLP but the output.
        num_layers: Layers of the MLP.
        norm: Between these layers.
        dropout: Rate after each of these layers but the last.
        input_dropout: Rate on the features.
        state_dropout: Rate on Z.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int,
        hops: int,
        *,
        norm: str = "none",
        dropout: float = 0.0,
        input_dropout: float = 0.0,
        state_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if hops < 0:
            raise ValueError(f"hops must not be negative, got {hops}")
        self.out_channels, self.hops, self.state_dropout = out_channels, hops, state_dropout
        self.mlp = MLP(
            in_channels,
            hidden_channels,
            out_channels,
            num_layers,
            norm=norm,
            dropout=dropout,
            input_dropout=input_dropout,
        )

    def reset_parameters(self) -> None:
        for module in self.children():
            module.reset_parameters()  # type: ignore[operator]

    @abstractmethod
    def propagate(self, z: Tensor, adjacency: Tensor, graph: Graph) -> Tensor:
        """(N, C) of predictions (N, C) and the normalised adjacency (E, 1), in the graph's order."""

    def forward(
        self,
        x: Tensor,
        graph: Graph | Tensor,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
    ) -> Tensor:
        graph = graph if isinstance(graph, Graph) else Graph(graph, x.size(0))
        z = dropout(self.mlp(x, graph), self.state_dropout, self.training, own_ids(graph))
        return self.propagate(z, normalised_adjacency(graph, "sym", edge_weight, dtype=z.dtype), graph)

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
        """As :meth:`agdn.AGDN.in_blocks`; there are no hop weights to tell."""
        if self.training:
            raise ValueError("in_blocks is for evaluation; call model.eval() first")
        by_row = all(isinstance(norm, ROW_WISE) for norm in self.mlp.norms)
        z = mapped_rows(self.mlp, dense(x), self.out_channels, storage) if by_row else self.mlp(x)
        adjacency = normalised_adjacency(graph, "sym", edge_weight, dtype=z.dtype)
        with storage.behind_kernels():
            return self.propagate(z, adjacency, graph), []
