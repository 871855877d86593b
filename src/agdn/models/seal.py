"""SEAL: a link is judged by the graph around it (Zhang and Chen, 2018), read by a DGCNN (Zhang et al., 2018).

z_i from the distances of node i to both ends        h_0 = [embedding(z) ; x]
h_l = tanh(conv_l(h_(l-1))), l = 1..L + 1, the last with one channel
sort pooling: the k nodes with the largest last channel, their [h_1 ; ... ; h_(L+1)] in this order, then 1-D
convolutions over them and an MLP
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.nn.conv import AGDNConv
from agdn.ops import dropout
from agdn.ops.enclosing import Enclosed, Labels, enclosing_subgraphs
from agdn.ops.kept_subgraphs import KeptSubgraphs
from agdn.ops.sparse_rows import dense

FILTERS, WIDTH = (16, 32), 5  # of the convolutions over sorted nodes
HIDDEN = 128
UNDIRECTED, KEPT = "_undirected", "_kept_subgraphs"  # what is kept with a graph


class Surroundings(NamedTuple):
    """What subgraphs are cut from, and those that were kept."""

    graph: Graph
    x: Tensor | None
    kept: KeptSubgraphs | None = None


class SEAL(nn.Module):
    """Every pair is scored by its own enclosing subgraph, without the link itself.

    Args:
        features: Columns of node features that are joined to the labels.
        hops: How far a subgraph reaches from the two nodes.
        most_per_hop: New nodes of a hop at most, drawn at random; None for all.
        share_per_hop: Share of the new nodes of a hop that is kept.
        labels: ``drnl``, ``de`` or ``de+``.
        largest_label: Larger ones become this one.
        label_channels: Width of the labels' embedding.
        hidden_channels: Width of the convolutions.
        num_layers: Convolutions, one of a single channel not counted.
        diffusion_hops: Hops of each convolution: 1 is the GCN of the paper, more an AGDN inside.
        transition: Of each convolution.
        weighting: Of the hops, where there are more than one.
        sorted_nodes: k, the nodes that sort pooling keeps.
        dropout: Rate in front of the output.
        cached: Keep every subgraph that was cut; it pays where the same pairs come again in every epoch.
    """

    def __init__(
        self,
        features: int = 0,
        *,
        hops: int = 1,
        most_per_hop: int | None = None,
        share_per_hop: float = 1.0,
        labels: Labels = "drnl",
        largest_label: int = 1000,
        label_channels: int = 32,
        hidden_channels: int = 32,
        num_layers: int = 3,
        diffusion_hops: int = 1,
        transition: str = "sym",
        weighting: str = "HA",
        sorted_nodes: int = 30,
        dropout: float = 0.5,
        cached: bool = False,
    ) -> None:
        super().__init__()
        if num_layers < 1 or diffusion_hops < 1:
            raise ValueError(f"num_layers and diffusion_hops must be at least 1, got {num_layers} and {diffusion_hops}")
        if sorted_nodes < 2 * WIDTH:
            raise ValueError(f"sorted_nodes must be at least {2 * WIDTH}, got {sorted_nodes}")
        self.hops, self.labels, self.largest_label = hops, labels, largest_label
        self.most_per_hop, self.share_per_hop = most_per_hop, share_per_hop
        self.sorted_nodes, self.dropout, self.cached = sorted_nodes, dropout, cached
        self.embedding = nn.Embedding(largest_label + 1, label_channels)
        one_hop: dict[str, Any] = {"hops": 1, "first_hop": 1, "weighting": "sum"}
        several: dict[str, Any] = {"hops": diffusion_hops, "weighting": weighting}
        options = {
            **(one_hop if diffusion_hops == 1 else several), "transition": transition, "residual": False, "bias": True
        }  # fmt: skip
        widths = [label_channels + features, *[hidden_channels] * num_layers, 1]
        self.convs = nn.ModuleList(AGDNConv(a, b, **options) for a, b in pairwise(widths))
        total = num_layers * hidden_channels + 1
        self.first = nn.Conv1d(1, FILTERS[0], total, total)
        self.second = nn.Conv1d(FILTERS[0], FILTERS[1], WIDTH, 1)
        self.hidden = nn.Linear(FILTERS[1] * (sorted_nodes // 2 - WIDTH + 1), HIDDEN)
        self.out = nn.Linear(HIDDEN, 1)

    def reset_parameters(self) -> None:
        for module in (self.embedding, *self.convs, self.first, self.second, self.hidden, self.out):
            module.reset_parameters()

    def encode(
        self, x: Tensor | None, graph: Graph | Tensor, nodes: Tensor | None = None, **edges: Tensor | None
    ) -> Surroundings:
        """The graph in both directions, and the features; nothing is computed yet."""
        made = graph if isinstance(graph, Graph) else Graph(graph, None if x is None else x.size(0))
        if UNDIRECTED not in made.__dict__:
            made._set(**{UNDIRECTED: made.undirected(), KEPT: {}})
        undirected, kept = made.__dict__[UNDIRECTED], None
        if self.cached:
            options = (self.hops, self.most_per_hop, self.share_per_hop, self.labels, self.largest_label)
            cut = partial(self._cut, undirected)
            kept = made.__dict__[KEPT].setdefault(options, KeptSubgraphs(cut))
        return Surroundings(undirected, None if x is None else dense(x), kept)

    def decode(self, states: Surroundings, pairs: Tensor) -> Tensor:
        """(P,) logits of (2, P) pairs."""
        found = self._cut(states.graph, pairs) if states.kept is None else states.kept.of(pairs)
        return self.score(found, None if states.x is None else states.x[found.nodes.long()])

    def _cut(self, graph: Graph, pairs: Tensor) -> Enclosed:
        return enclosing_subgraphs(
            graph,
            pairs,
            self.hops,
            most_per_hop=self.most_per_hop,
            share_per_hop=self.share_per_hop,
            labels=self.labels,
            largest_label=self.largest_label,
        )

    def score(self, found: Enclosed, x: Tensor | None) -> Tensor:
        """(P,) logits of subgraphs that are at hand."""
        h = self.embedding(found.labels).sum(1)
        h = h if x is None else torch.cat([h, x], dim=1)
        layers = []
        for conv in self.convs:
            h = torch.tanh(conv(h, found.graph))
            layers.append(h)
        rows = sort_pooled(torch.cat(layers, dim=1), found.ptr, self.sorted_nodes)
        z = F.relu(F.linear(rows, self.first.weight.squeeze(1), self.first.bias)).transpose(1, 2)  # as its strides are
        z = F.relu(self.second(F.max_pool1d(z, 2, 2)))
        z = dropout(F.relu(self.hidden(z.flatten(1))), self.dropout, self.training)
        logits: Tensor = self.out(z).squeeze(1)
        return logits

    def forward(self, x: Tensor | None, graph: Graph | Tensor, pairs: Tensor) -> Tensor:
        return self.decode(self.encode(x, graph), pairs)


def sort_pooled(h: Tensor, ptr: Tensor, k: int) -> Tensor:
    """(P, k, C) of each group the k rows with the largest last channel, the largest first; zeros where it has fewer."""
    sizes = ptr.diff()
    group = torch.arange(len(sizes), device=h.device).repeat_interleave(sizes)
    order = torch.argsort(h[:, -1].detach(), descending=True, stable=True)
    order = order[torch.argsort(group[order], stable=True)]
    rank = torch.arange(len(h), device=h.device) - ptr[:-1][group]
    kept = rank < k
    out = h.new_zeros(len(sizes), k, h.size(1))
    return out.index_put((group[kept], rank[kept]), h[order[kept]])
