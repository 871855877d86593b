"""The paper's other systems from PyG's layers, on edges with weights or on a CSR matrix of torch's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.nn import APPNP, GCNConv, TAGConv
from torch_geometric.nn.conv.gcn_conv import gcn_norm

Adjacency = tuple[Tensor, Tensor | None]  # edges and their weights, or a matrix alone


def prepared(edge_index: Tensor, num_nodes: int, spec: dict[str, Any]) -> Adjacency:
    """The symmetric normalised adjacency; the graph has its self-loops already."""
    edges, weight = gcn_norm(edge_index, None, num_nodes, add_self_loops=False)
    if spec["form"] == "edges":
        return edges, weight
    source, target = edges
    matrix = torch.sparse_coo_tensor(torch.stack([target, source]), weight, (num_nodes, num_nodes))
    return matrix.coalesce().to_sparse_csr(), None


class Stack(nn.Module):
    """Convolutions with ReLU and dropout between them."""

    def __init__(self, *convs: nn.Module) -> None:
        super().__init__()
        self.convs = nn.ModuleList(convs)

    def forward(self, x: Tensor, graph: Adjacency) -> Tensor:
        for conv in self.convs[:-1]:
            x = F.dropout(conv(x, *graph).relu(), 0.5, self.training)
        out: Tensor = self.convs[-1](x, *graph)
        return out


class Predicted(nn.Module):
    """An MLP, and what spreads its predictions."""

    def __init__(self, in_channels: int, classes: int, propagation: nn.Module) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(in_channels, 256), nn.Linear(256, classes)
        self.propagation = propagation

    def forward(self, x: Tensor, graph: Adjacency) -> Tensor:
        h = F.dropout(self.first(x).relu(), 0.5, self.training)
        out: Tensor = self.propagation(self.second(h), *graph)
        return out


class Hop(APPNP):
    """A x."""

    def __init__(self) -> None:
        super().__init__(K=1, alpha=0.0, normalize=False)


class Gated(nn.Module):
    def __init__(self, classes: int, hops: int) -> None:
        super().__init__()
        self.hops, self.hop, self.score = hops, Hop(), nn.Linear(classes, 1)

    def forward(self, z: Tensor, *graph: Tensor) -> Tensor:
        seen = torch.stack(_powers(self.hop, z, graph, self.hops), dim=1)
        return (torch.sigmoid(self.score(seen)) * seen).sum(1)


class Polynomial(nn.Module):
    def __init__(self, hops: int) -> None:
        super().__init__()
        self.hop, self.gamma = Hop(), nn.Parameter(torch.empty(hops + 1))

    def forward(self, z: Tensor, *graph: Tensor) -> Tensor:
        out = self.gamma[0] * z
        for gamma in self.gamma[1:]:
            z = self.hop(z, *graph)
            out = out + gamma * z
        return out


def baseline(name: str, in_channels: int, classes: int) -> nn.Module:
    gcn = ((in_channels, 256), (256, 256), (256, classes))
    builders: dict[str, Callable[[], nn.Module]] = {
        "GCN": lambda: Stack(*(GCNConv(a, b, normalize=False) for a, b in gcn)),
        "APPNP": lambda: Predicted(in_channels, classes, APPNP(10, 0.1, normalize=False)),
        "DAGNN": lambda: Predicted(in_channels, classes, Gated(classes, 10)),
        "TAGCN": lambda: Stack(*(TAGConv(a, b, K=3, normalize=False) for a, b in ((in_channels, 128), (128, classes)))),
        "GPR-GNN": lambda: Predicted(in_channels, classes, Polynomial(10)),
    }  # fmt: skip
    return builders[name]()


@torch.no_grad()
def precomputed(name: str, x: Tensor, graph: Adjacency) -> Tensor:
    hop, (model, hops) = Hop(), _model_and_hops(name)
    if model == "SIGN":
        return torch.stack(_powers(hop, x, graph, hops), dim=1)
    out = 0.05 * x if model == "S2GC" else x
    for _ in range(hops):
        x = hop(x, *graph)
        out = out + 0.95 / hops * x if model == "S2GC" else x
    return out


def _model_and_hops(name: str) -> tuple[str, int]:
    model, hops = name.split(", K = ")
    return model, int(hops)


def _powers(hop: nn.Module, x: Tensor, graph: Any, hops: int) -> list[Tensor]:
    found = [x]
    for _ in range(hops):
        found.append(hop(found[-1], *graph))
    return found
