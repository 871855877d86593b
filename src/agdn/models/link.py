"""Encoder and decoder for links: node states from a graph, one logit a node pair."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.nn.init import glorot_uniform_
from agdn.ops.sparse_rows import dense


class NodeEmbedding(nn.Module):
    """A vector for every node, learnt with the rest."""

    def __init__(self, num_nodes: int, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(num_nodes, channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        glorot_uniform_(self.weight, self.weight.size(1), self.weight.size(0), gain=1.0)

    @torch.no_grad()
    def begin_with(self, vectors: Tensor, *, spread: float = 0.3) -> None:
        """Start from (N, channels) vectors, scaled to this root mean square."""
        self.weight.copy_(vectors * (spread / vectors.square().mean().sqrt().clamp(min=1e-12)))

    def forward(self, nodes: Tensor | None = None) -> Tensor:
        """(len(nodes), channels); of all nodes without an argument."""
        return self.weight if nodes is None else self.weight.index_select(0, nodes)


class LinkModel(nn.Module):
    """A graph encoder, a pair decoder and, where nodes have no features or these do not suffice, learned embeddings.

    Args:
        encoder: ``encoder(x, graph)`` -> (N, C) node states.
        decoder: ``decoder(h, pairs)`` -> (P,) logits.
        state_channels: C.
        num_nodes, embedding_channels: Size of the learned embeddings; they replace the features, or are joined to them.
    """

    def __init__(
        self,
        encoder: nn.Module,
        decoder: nn.Module,
        *,
        state_channels: int,
        num_nodes: int | None = None,
        embedding_channels: int | None = None,
    ) -> None:
        super().__init__()
        if (num_nodes is None) != (embedding_channels is None):
            raise ValueError("learned embeddings need both num_nodes and embedding_channels")
        self.encoder, self.decoder, self.state_channels = encoder, decoder, state_channels
        self.embedding: NodeEmbedding | None = None
        if num_nodes is not None and embedding_channels is not None:
            self.embedding = NodeEmbedding(num_nodes, embedding_channels)

    def reset_parameters(self) -> None:
        for part in (self.encoder, self.decoder, self.embedding):
            if part is not None:
                part.reset_parameters()  # type: ignore[operator]

    def given(self, x: Tensor | None, nodes: Tensor | None = None) -> Tensor:
        """What the encoder reads: features, embeddings or both; ``nodes`` are the ids of the rows of a piece."""
        if self.embedding is None:
            if x is None:
                raise ValueError("this model has no learned embeddings; give it node features x")
            return x
        learnt = self.embedding(nodes)
        return learnt if x is None else torch.cat([dense(x), learnt], dim=1)

    def encode(self, x: Tensor | None, graph: Graph | Tensor, nodes: Tensor | None = None, **edges: Tensor) -> Tensor:
        """(N, C) node states; ``edges`` are edge signals, such as ``edge_weight``."""
        states: Tensor = self.encoder(self.given(x, nodes), graph, **edges)
        return states

    def decode(self, states: Any, pairs: Tensor) -> Tensor:
        """(P,) logits."""
        logits: Tensor = self.decoder(states, pairs)
        return logits

    def forward(self, x: Tensor | None, graph: Graph | Tensor, pairs: Tensor) -> Tensor:
        return self.decode(self.encode(x, graph), pairs)
