"""The AGDN-HA layer, two models and a sampler on DGL's public message-passing API, as a user of DGL writes them.

Parameters are named as in agdn, so that both start from the same weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import dgl
import dgl.function as fn
import torch
import torch.nn.functional as F
from dgl.nn.functional import edge_softmax
from torch import Tensor, nn

TAKES_WEIGHTS = True
LEAKY_SLOPE = 0.2


class AGDNLayer(nn.Module):
    """Attention over the neighbours, K hops, attention over the stacked hops, linear residual.

    ``for_links``: hops of length 1, hop weights times a learned number, and a bias.
    """

    def __init__(
        self,
        in_channels: int,
        channels: int,
        hops: int,
        heads: int,
        *,
        position: bool = False,
        edge_drop: float = 0.0,
        for_links: bool = False,
    ) -> None:
        super().__init__()
        self.hops, self.heads, self.channels, self.edge_drop = hops, heads, channels, edge_drop
        self.bias = nn.Parameter(torch.zeros(heads * channels)) if for_links else None
        self.transform = nn.Linear(in_channels, heads * channels, bias=False)
        self.residual = nn.Linear(in_channels, heads * channels, bias=False)
        queries = ("source_query", "target_query")
        self.transition = nn.ParameterDict({name: torch.empty(heads, channels) for name in queries})
        self.weighting = nn.ParameterDict({name: torch.empty(heads, channels) for name in ("query", "key")})
        if for_links:
            self.weighting["log_scale"] = torch.empty(heads)
        self.hop_transform = nn.ParameterDict()
        if position:
            self.hop_transform["position"] = torch.empty(hops + 1, heads, channels)

    def forward(self, x: Tensor, graph: dgl.DGLGraph) -> Tensor:
        z = self.transform(x).view(-1, self.heads, self.channels)
        stack = [z]
        with graph.local_scope():
            graph.edata["a"] = self.attention(z, graph)
            for _ in range(self.hops):
                graph.srcdata["z"] = stack[-1]
                graph.update_all(fn.u_mul_e("z", "a", "m"), fn.sum("m", "z"))
                stack.append(graph.dstdata["z"])
        if self.bias is not None:
            stack = [F.normalize(hop, dim=-1) for hop in stack]
        if "position" in self.hop_transform:
            stack = [hop + self.hop_transform["position"][k] for k, hop in enumerate(stack)]
        out: Tensor = self.combined(stack).flatten(1) + self.residual(x)
        return out if self.bias is None else out + self.bias

    def attention(self, z: Tensor, graph: dgl.DGLGraph) -> Tensor:
        """(E, H, 1) weights; in training a share of the edges is left out, by exact count."""
        graph.srcdata["el"] = (z * self.transition["source_query"]).sum(-1, keepdim=True)
        graph.dstdata["er"] = (z * self.transition["target_query"]).sum(-1, keepdim=True)
        graph.apply_edges(fn.u_add_v("el", "er", "e"))
        scores = F.leaky_relu(graph.edata.pop("e"), LEAKY_SLOPE)
        if not self.training or self.edge_drop == 0:
            everywhere: Tensor = edge_softmax(graph, scores)
            return everywhere
        kept = torch.randperm(graph.num_edges())[int(self.edge_drop * graph.num_edges()) :]
        weights = torch.zeros_like(scores)
        weights[kept] = edge_softmax(graph, scores[kept], eids=kept)
        return weights

    def combined(self, stack: list[Tensor]) -> Tensor:
        """Attention over the stacked hops, in the fastest of the usual ways to write it."""
        asked = (stack[0] * self.weighting["query"]).sum(-1)
        logits = torch.stack([asked + (hop * self.weighting["key"]).sum(-1) for hop in stack], dim=-1)  # (N, H, K + 1)
        theta = F.leaky_relu(logits, LEAKY_SLOPE).softmax(-1)
        if "log_scale" in self.weighting:
            theta = theta * self.weighting["log_scale"].exp()[:, None]
        return (theta.unsqueeze(-2) @ torch.stack(stack, dim=2)).squeeze(-2)


class ArxivModel(nn.Module):
    """Three layers with batch norm, ReLU, dropout and an identity skip; the last layer makes the classes."""

    def __init__(self, in_channels: int, channels: int, classes: int) -> None:
        super().__init__()
        options: dict[str, Any] = {"position": True, "edge_drop": 0.15}
        width = 3 * channels
        self.convs = nn.ModuleList(
            [
                AGDNLayer(in_channels, channels, 3, 3, **options),
                AGDNLayer(width, channels, 3, 3, **options),
                AGDNLayer(width, classes, 3, 1, **options),
            ]
        )
        self.norms = nn.ModuleList([nn.BatchNorm1d(width), nn.BatchNorm1d(width)])
        self.out_bias = nn.Parameter(torch.empty(classes))
        self.input_drop, self.drop = nn.Dropout(0.1), nn.Dropout(0.75)

    def forward(self, x: Tensor, graph: dgl.DGLGraph) -> Tensor:
        h = self.input_drop(x)
        h = self.drop(F.relu(self.norms[0](self.convs[0](h, graph))))
        h = self.drop(F.relu(self.norms[1](self.convs[1](h, graph) + h)))
        out: Tensor = self.convs[2](h, graph) + self.out_bias
        return out


class DdiEncoder(nn.Module):
    """Two layers of one head with batch norm, ReLU and dropout between them."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        layers = (AGDNLayer(channels, channels, 3, 1, position=True, for_links=True) for _ in range(2))
        self.convs = nn.ModuleList(layers)
        self.norms = nn.ModuleList([nn.BatchNorm1d(channels)])
        self.drop = nn.Dropout(0.4)

    def forward(self, x: Tensor, graph: dgl.DGLGraph) -> Tensor:
        out: Tensor = self.convs[1](self.drop(F.relu(self.norms[0](self.convs[0](x, graph)))), graph)
        return out


class PairMLP(nn.Module):
    """Two linear layers on the product of the rows of each pair."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(channels, channels), nn.Linear(channels, 1)])
        self.drop = nn.Dropout(0.4)

    def forward(self, h: Tensor, pairs: Tensor) -> Tensor:
        out: Tensor = self.layers[1](self.drop(F.relu(self.layers[0](h[pairs[0]] * h[pairs[1]])))).squeeze(-1)
        return out


class DdiModel(nn.Module):
    """Learned embeddings, encoder and decoder."""

    def __init__(self, num_nodes: int, channels: int) -> None:
        super().__init__()
        self.encoder, self.decoder = DdiEncoder(channels), PairMLP(channels)
        self.embedding = nn.Embedding(num_nodes, channels)

    def forward(self, x: None, graph: dgl.DGLGraph, pairs: Tensor) -> Tensor:
        out: Tensor = self.decoder(self.encoder(self.embedding.weight, graph), pairs)
        return out


def graph(edge_index: Tensor, num_nodes: int) -> dgl.DGLGraph:
    made = dgl.graph((edge_index[0], edge_index[1]), num_nodes=num_nodes)
    made.create_formats_()
    return made


def layer(in_channels: int, spec: dict[str, Any]) -> nn.Module:
    return AGDNLayer(in_channels, spec["channels"], spec["hops"], spec["heads"])


def model(in_channels: int, spec: dict[str, Any]) -> nn.Module:
    return ArxivModel(in_channels, spec["channels"], spec["classes"])


def link_model(spec: dict[str, Any]) -> nn.Module:
    return DdiModel(spec["nodes"], spec["channels"])


def neighbours(graph: dgl.DGLGraph, spec: dict[str, Any]) -> Callable[[int], Iterator[tuple[int, int]]]:
    """Blocks of sampled edges; DGL lists fanouts from the first layer, which is the last hop."""
    seeds = torch.randperm(graph.num_nodes())[: spec["batch_size"] * spec["batches"]]
    sampler = dgl.dataloading.NeighborSampler(spec["fanouts"][::-1])

    def epoch(number: int) -> Iterator[tuple[int, int]]:
        for batch in seeds[torch.randperm(len(seeds))].split(spec["batch_size"]):
            inputs, _, blocks = sampler.sample(graph, batch)
            yield len(inputs), sum(block.num_edges() for block in blocks)

    return epoch


SAMPLERS = {"neighbours": neighbours}
