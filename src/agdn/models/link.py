"""Encoder and decoder for links: node states from a graph, one logit a node pair."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.nn.init import glorot_uniform_
from agdn.ops import pair_product, relu_dropout


class HadamardMLP(nn.Module):
    """An MLP on the element-wise product h_u * h_v, symmetric in u and v."""

    def __init__(self, in_channels: int, hidden_channels: int, num_layers: int = 2, *, dropout: float = 0.0) -> None:
        super().__init__()
        if num_layers < 1:
            raise ValueError(f"num_layers must be at least 1, got {num_layers}")
        widths = [in_channels] + [hidden_channels] * (num_layers - 1) + [1]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
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


class LinkModel(nn.Module):
    """A graph encoder, a pair decoder and, where the nodes have no features, learned node embeddings.

    Args:
        encoder: ``encoder(x, graph)`` -> (N, C) node states.
        decoder: ``decoder(h, pairs)`` -> (P,) logits.
        num_nodes, embedding_channels: Size of the learned embeddings; they replace the features, or are joined to them.
    """

    def __init__(
        self,
        encoder: nn.Module,
        decoder: nn.Module,
        *,
        num_nodes: int | None = None,
        embedding_channels: int | None = None,
    ) -> None:
        super().__init__()
        if (num_nodes is None) != (embedding_channels is None):
            raise ValueError("learned embeddings need both num_nodes and embedding_channels")
        self.encoder, self.decoder = encoder, decoder
        self.embedding: nn.Parameter | None = None
        if num_nodes is not None and embedding_channels is not None:
            self.embedding = nn.Parameter(torch.empty(num_nodes, embedding_channels))
            glorot_uniform_(self.embedding, embedding_channels, num_nodes, gain=1.0)

    def reset_parameters(self) -> None:
        for part in (self.encoder, self.decoder):
            part.reset_parameters()  # type: ignore[operator]
        if self.embedding is not None:
            glorot_uniform_(self.embedding, self.embedding.size(1), self.embedding.size(0), gain=1.0)

    def encode(self, x: Tensor | None, graph: Graph | Tensor) -> Tensor:
        """(N, C) node states."""
        given = [tensor for tensor in (x, self.embedding) if tensor is not None]
        if not given:
            raise ValueError("this model has no learned embeddings; give it node features x")
        states: Tensor = self.encoder(torch.cat(given, dim=1) if len(given) > 1 else given[0], graph)
        return states

    def forward(self, x: Tensor | None, graph: Graph | Tensor, pairs: Tensor) -> Tensor:
        logits: Tensor = self.decoder(self.encode(x, graph), pairs)
        return logits
