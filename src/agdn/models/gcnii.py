"""GCNII: deep GCN layers that keep a share of the first state and of the identity.

    H' = act(S ((1 - beta_l) I + beta_l W_l)),    S = (1 - alpha) A H + alpha H_0,    beta_l = ln(theta / l + 1)

A the symmetrically normalised adjacency. With two maps (1 - alpha) A H and alpha H_0 have one each. Chen, Wei, Huang,
Ding and Li, *Simple and deep graph convolutional networks*, ICML 2020.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.nn.linear import Linear, plus_product
from agdn.nn.norm import hidden_norms
from agdn.ops import dropout, normalised_adjacency, propagate, relu_dropout
from agdn.ops.halo import own_ids


class IdentityMapped(nn.Module):
    """S -> (1 - beta) S + beta S W; one map, or one for the neighbours and one for the first state."""

    def __init__(self, channels: int, *, alpha: float, beta: float, maps: int) -> None:
        super().__init__()
        self.alpha, self.beta = alpha, beta
        self.weight = nn.Parameter(torch.empty(maps, channels, channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.weight.size(-1))
        nn.init.uniform_(self.weight, -bound, bound)

    def forward(self, neighbours: Tensor, first: Tensor) -> Tensor:
        if len(self.weight) == 1:
            parts = [torch.lerp(neighbours, first, self.alpha)]
        else:
            parts = [(1 - self.alpha) * neighbours, self.alpha * first]
        mapped = [
            plus_product(part, part, weight, start_share=1 - self.beta, product_share=self.beta)
            for part, weight in zip(parts, self.weight, strict=True)
        ]
        return sum(mapped[1:], start=mapped[0])

    def extra_repr(self) -> str:
        return f"channels={self.weight.size(-1)}, maps={len(self.weight)}, alpha={self.alpha}, beta={self.beta:.4g}"


class GCNII(nn.Module):
    """A linear layer, ``num_layers`` deep layers as wide, and a linear output; no self-loops are added here.

    Args:
        hidden_channels: Width.
        num_layers: Number of deep layers.
        alpha: Share of the first state in every layer.
        theta: How slowly the maps lose to the identity with depth; None takes beta = 1, the maps alone.
        two_maps: Neighbours and first state each with a map of its own.
        skip: Add each layer's input to its output.
        norm: After each layer, in front of the ReLU.
        dropout: Rate on the features, and in front of each layer and the output.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 16,
        *,
        alpha: float = 0.1,
        theta: float | None = 0.5,
        two_maps: bool = False,
        skip: bool = False,
        norm: str = "none",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise ValueError(f"num_layers must be at least 1, got {num_layers}")
        if not 0 <= alpha <= 1:
            raise ValueError(f"alpha, the share of the first state, must lie in [0, 1], got {alpha}")
        if theta is not None and theta <= 0:
            raise ValueError(f"theta must be positive, or None for the maps alone, got {theta}")
        betas = [1.0 if theta is None else math.log(theta / (layer + 1) + 1) for layer in range(num_layers)]
        self.input = Linear(in_channels, hidden_channels)
        self.convs = nn.ModuleList(
            IdentityMapped(hidden_channels, alpha=alpha, beta=beta, maps=2 if two_maps else 1) for beta in betas
        )
        self.norms = hidden_norms(norm, [hidden_channels] * num_layers)
        self.output = Linear(hidden_channels, out_channels)
        self.skip, self.dropout = skip, dropout

    def reset_parameters(self) -> None:
        for module in (self.input, *self.convs, *self.norms, self.output):
            if hasattr(module, "reset_parameters"):
                module.reset_parameters()

    def forward(
        self,
        x: Tensor,
        graph: Graph | Tensor,
        edge_attr: Tensor | None = None,
        edge_weight: Tensor | None = None,
    ) -> Tensor:
        graph = graph if isinstance(graph, Graph) else Graph(graph, x.size(0))
        ids = own_ids(graph)
        h = first = torch.relu(self.input(dropout(x, self.dropout, self.training, ids)))
        weight = normalised_adjacency(graph, "sym", edge_weight, dtype=h.dtype)
        kept = dropout(h, self.dropout, self.training, ids)
        for conv, norm in zip(self.convs, self.norms, strict=True):
            out = norm(conv(propagate(kept.unsqueeze(1), weight, graph).squeeze(1), first))
            if self.skip:
                h = h + torch.relu(out)
                kept = dropout(h, self.dropout, self.training, ids)
            else:
                kept = relu_dropout(out, self.dropout, self.training, ids)
        result: Tensor = self.output(kept)
        return result
