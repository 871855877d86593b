"""The message graph of a link task, without the edges that a step asks about, or with edges that are known by now."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from agdn.data.pair_keys import among, unordered_keys
from agdn.graph import Graph
from agdn.tasks.inputs import Signals


class MessageEdges:
    """Which edges of a graph join which two nodes, whatever their direction."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        source, target = graph.indices.long().cpu(), graph.targets.long().cpu()
        self.keys = unordered_keys(torch.stack([source, target]), graph.num_nodes)

    def without(self, signals: Signals, pairs: Tensor) -> Signals:
        """The signals without the edges, in either direction, that join the nodes of (2, P) ``pairs``."""
        asked = unordered_keys(pairs.cpu(), self.graph.num_nodes).sort().values
        kept = ~among(self.keys, asked)
        graph = signals.graph.remaining(kept.to(signals.graph.device))
        return replace(
            signals,
            graph=graph,
            edge_attr=None if signals.edge_attr is None else graph.carry(signals.edge_attr),
            edge_weight=None if signals.edge_weight is None else graph.carry(signals.edge_weight),
        )


def with_pairs(signals: Signals, pairs: Tensor) -> Signals:
    """The signals with the edges of (2, P) ``pairs`` added, in both directions; their weight is 1."""
    if signals.edge_attr is not None:
        raise ValueError("validation edges have no features, but the message graph's edges have; keep them hidden")
    graph, pairs = signals.graph, pairs.to(signals.graph.device)
    both = torch.cat([graph.edge_index, pairs, pairs.flip(0)], dim=1)
    weight = signals.edge_weight
    if weight is not None:
        weight = torch.cat([weight, weight.new_ones(2 * pairs.size(1))])
    return replace(signals, graph=Graph(both, graph.num_nodes), edge_weight=weight)
