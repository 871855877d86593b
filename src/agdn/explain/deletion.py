"""Whether an explanation holds: without what it names the answer should suffer, and more than without chance picks.

The k nodes (with their edges) or the k edges that spoke most for the answer are taken out of the graph, and the model
is asked again; beside them as many drawn at random from all that the node hears of, and as many drawn at random at the
same distances, which is the harder comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from agdn.explain.attribution import Attribution
from agdn.explain.question import Question
from agdn.graph import Graph
from agdn.tasks.inputs import Signals

COUNTS = (1, 2, 5, 10, 20)
DELETION_HEADER = ("without", "with all", "those named", "random, as near", "random, anywhere")
Kind = Literal["nodes", "edges"]


@dataclass(frozen=True)
class Deletion:
    """The answer's probability, or the number, without k nodes or edges.

    Attributes:
        whole: With all of them.
        named: (len(counts),) without those that the explanation names first.
        anywhere: (draws, len(counts)) without random ones that the node hears of.
        as_near: (draws, len(counts)) without random ones of the same distances.
    """

    kind: Kind
    counts: tuple[int, ...]
    whole: float
    named: np.ndarray
    anywhere: np.ndarray
    as_near: np.ndarray

    def rows(self) -> list[tuple[str, ...]]:
        """Of a table, means over the draws."""
        columns = (self.named, self.as_near.mean(0), self.anywhere.mean(0))
        return [
            (counted(count, self.kind), f"{self.whole:.3f}", *(f"{column[place]:.3f}" for column in columns))
            for place, count in enumerate(self.counts)
        ]


def deletion(
    model: nn.Module,
    signals: Signals,
    asked: Question,
    found: Attribution,
    kind: Kind = "nodes",
    *,
    counts: Sequence[int] = COUNTS,
    draws: int = 5,
    seed: int = 0,
) -> Deletion | None:
    """None where nothing can be taken out."""
    graph = signals.graph
    ranked, distance = _candidates(found, graph, kind)
    heard = ((distance > 0) & (distance <= found.reach)).nonzero().squeeze(1)
    counts = tuple(count for count in counts if count <= len(ranked))
    if not counts:
        return None

    @torch.no_grad()
    def without(chosen: Tensor) -> float:
        return asked.value(remaining(signals, chosen, kind).outputs(model))

    rng = np.random.default_rng([seed, asked.node])
    named = np.array([without(ranked[:count]) for count in counts])
    anywhere, as_near = np.zeros((draws, len(counts))), np.zeros((draws, len(counts)))
    for draw in range(draws):
        shuffled = heard[torch.from_numpy(rng.permutation(len(heard)))]
        for place, count in enumerate(counts):
            anywhere[draw, place] = without(shuffled[:count])
            as_near[draw, place] = without(_of_distances(shuffled, distance, distance[ranked[:count]]))
    with torch.no_grad():
        whole = asked.value(signals.outputs(model))
    return Deletion(kind, counts, whole, named, anywhere, as_near)


def counted(count: int, kind: str) -> str:
    """``1 node``, ``2 nodes``."""
    return f"{count} {kind.removesuffix('s') if count == 1 else kind}"


def remaining(signals: Signals, chosen: Tensor, kind: Kind) -> Signals:
    """Without these edges, or without the edges of these nodes to others; features and labels stay as they are."""
    graph = signals.graph
    if kind == "edges":
        gone = torch.zeros(graph.num_edges, dtype=torch.bool)
        gone[chosen] = True
    else:
        out = torch.zeros(graph.num_nodes, dtype=torch.bool)
        out[chosen] = True
        gone = out[graph.edge_index].any(0)
    rest = graph.remaining(~gone[graph.order])
    edge_attr, edge_weight = (
        None if signal is None else rest.carry(signal) for signal in (signals.edge_attr, signals.edge_weight)
    )
    return replace(signals, graph=rest, storage=None, edge_attr=edge_attr, edge_weight=edge_weight)


def _candidates(found: Attribution, graph: Graph, kind: Kind) -> tuple[Tensor, Tensor]:
    """Places that spoke for the answer by rank, and of all nodes or edges the distance; 0 or less: not to be taken.

    An edge is as far as the step that it takes: one that leads to a node at the end of the reach carries nothing.
    """
    if kind == "nodes":
        ranked = found.ranked_nodes(graph)
        return ranked[found.handed(graph)[ranked] > 0], found.distance
    ranked = found.ranked_edges(graph)
    if found.flow is not None:
        ranked = ranked[found.flow[ranked] > 0]
    sources, targets = graph.edge_index
    near = found.distance[targets]
    return ranked, torch.where((sources != targets) & (near >= 0), near + 1, -1)


def _of_distances(shuffled: Tensor, distance: Tensor, wanted: Tensor) -> Tensor:
    """As many of each distance as ``wanted`` has, the first of ``shuffled``."""
    chosen = []
    for value, count in zip(*(part.tolist() for part in wanted.unique(return_counts=True)), strict=True):
        chosen.append(shuffled[distance[shuffled] == value][:count])
    return torch.cat(chosen)
