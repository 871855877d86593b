"""``explain``: what carried the predictions of a trained model for some nodes, in the user's own ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch

from agdn.data.dataset import Dataset
from agdn.experiments.load import TrainedModel
from agdn.explain.attribution import Attribution
from agdn.explain.deletion import Deletion, Kind, deletion
from agdn.explain.gradients import gradients
from agdn.explain.held_network import HeldNetwork, held_network, is_walkable
from agdn.explain.question import Question, question
from agdn.explain.walk import walk
from agdn.report.gather.views import node_rows
from agdn.tasks.node import PARTS

Method = Literal["walk", "gradients"]
KINDS: tuple[Kind, ...] = ("nodes", "edges")


@dataclass(frozen=True)
class Part:
    """A node's part in a prediction; shares are signed, those of all nodes' own parts add up to one without signs.

    Attributes:
        distance: Steps to the explained node.
        hop: The number of steps after which most of its own part came; None where that is not known.
        own: Share that its own features gave.
        handed: Share that it handed on to others, its own and that of those behind it; None where it is not known,
            and for the explained node itself.
    """

    row: int
    id: str
    distance: int
    hop: int | None
    own: float
    handed: float | None
    predicted: str
    label: str
    part: str

    def to_json(self) -> dict[str, Any]:
        told = {name: getattr(self, name) for name in ("id", "distance", "hop", "own", "handed")}
        return {**told, "prediction": self.predicted, "label": self.label, "part": self.part}


@dataclass(frozen=True)
class Carried:
    """An edge's share, in the direction of the flow."""

    source: str
    target: str
    share: float


@dataclass(frozen=True)
class NodeExplanation:
    """``parts`` begin with the node itself; ``hops`` are the shares for and against after so many steps.

    A node may speak for the answer after some steps and against it after others, so without signs they may add up to
    more than one.
    Where steps on the way are not known, ``hops`` goes by distance.
    """

    question: Question
    id: str
    value: float
    label: str
    attribution: Attribution
    parts: tuple[Part, ...]
    edges: tuple[Carried, ...]
    hops: tuple[tuple[float, float], ...]
    deletions: tuple[Deletion, ...]

    def to_json(self) -> dict[str, Any]:
        found = self.attribution
        return {
            "node": self.id,
            "answer": self.question.answer,
            "value": self.value,
            "label": self.label,
            "score": found.score,
            "constant": found.constant,
            "missing": found.missing,
            "nodes": [part.to_json() for part in self.parts],
            "edges": [{"from": edge.source, "to": edge.target, "share": edge.share} for edge in self.edges],
            "hops": [{"hop": hop, "for": pro, "against": con} for hop, (pro, con) in enumerate(self.hops)],
            "without": [
                {
                    "what": each.kind,
                    "count": list(each.counts),
                    "named": each.named.tolist(),
                    "random": each.anywhere.mean(0).tolist(),
                    "random_as_near": each.as_near.mean(0).tolist(),
                }
                for each in self.deletions
            ],
        }


@dataclass(frozen=True)
class Explanations:
    """``method`` is the one that was used; ``smoothed``: predictions were corrected and smoothed after the model."""

    trained: TrainedModel
    dataset: Dataset
    method: Method
    nodes: tuple[NodeExplanation, ...]
    smoothed: bool


def explain(
    trained: TrainedModel,
    nodes: Sequence[str],
    *,
    method: Method | None = None,
    answer: str | None = None,
    top: int = 15,
    draws: int = 5,
    steps: int = 16,
) -> Explanations:
    """The parts that nodes, edges and hops had in what is predicted for ``nodes``, by the user's own ids.

    Args:
        method: By default walks where the model's layers are ours, and gradients elsewhere.
        answer: The class or task to explain in place of what is predicted.
        top: So many nodes and edges are listed.
        draws: Of random nodes and edges in the deletion check; 0 leaves it out.
        steps: Points of the integral of gradients.
    """
    dataset = trained.dataset
    rows = node_rows(dataset, nodes)
    model, signals = trained.model.cpu(), trained.given().to("cpu")
    network: HeldNetwork | None = None
    if method == "walk" or (method is None and is_walkable(model)):
        network = held_network(model, signals)
        outputs = network.outputs
    else:
        with torch.no_grad():
            outputs = signals.outputs(model)
    decoded = trained.output.decode(outputs.cpu())
    told = Told(dataset, trained, decoded.values, decoded.probabilities)
    found = []
    for row, name in zip(rows, nodes, strict=True):
        asked = question(row, outputs, trained.output, answer)
        if network is not None:
            attribution = walk(network, asked)
        else:
            attribution = gradients(model, signals, asked, steps=steps)
        checks = [deletion(model, signals, asked, attribution, kind, draws=draws) for kind in KINDS if draws]
        found.append(_explained(asked, str(name), asked.value(outputs), attribution, told, top, checks))
    return Explanations(
        trained, dataset, "gradients" if network is None else "walk", tuple(found), trained.task.finishes
    )


@dataclass(frozen=True)
class Told:
    """What is predicted for the nodes, and what is true, in words."""

    dataset: Dataset
    trained: TrainedModel
    values: torch.Tensor
    probabilities: torch.Tensor | None

    def id(self, row: int) -> str:
        return str(row if self.dataset.node_ids is None else self.dataset.node_ids[row])

    def predicted(self, row: int) -> str:
        if self.values.dim() == 2:
            yes = (self.values[row] == 1).nonzero().squeeze(1).tolist()
            return ", ".join(self._names(len(self.values[row]))[task] for task in yes) or "none"
        if self.probabilities is None:
            return f"{float(self.values[row]):.4g}"
        said = int(self.values[row])
        sure = 100 * float(self.probabilities[row, said])
        return f"{self._names(self.probabilities.size(1))[said]} ({sure:.0f} %)"

    def label(self, row: int) -> str:
        assert self.dataset.y is not None, "a run of a node task has labels"
        y = self.dataset.y[row]
        if y.dim():
            if bool(y.isnan().all()):
                return "unknown"
            return ", ".join(self._names(len(y))[task] for task in (y == 1).nonzero().squeeze(1).tolist()) or "none"
        if self.probabilities is None:
            return "unknown" if bool(y.isnan()) else f"{float(y):.4g}"
        return "unknown" if int(y) < 0 else self._names(self.probabilities.size(1))[int(y)]

    def part(self, row: int) -> str:
        split = self.trained.task.split
        return next((name for name in PARTS if bool((getattr(split, name) == row).any())), "")

    def _names(self, width: int) -> tuple[str, ...]:
        return self.trained.output.class_names or tuple(map(str, range(width)))


def _explained(
    asked: Question,
    name: str,
    value: float,
    found: Attribution,
    told: Told,
    top: int,
    checks: Sequence[Deletion | None],
) -> NodeExplanation:
    graph = told.dataset.graph
    total, source, handed = found.total, found.source, found.handed(graph)

    def part(row: int) -> Part:
        on = None if row == asked.node or found.flow is None else float(handed[row]) / total
        return Part(
            row,
            told.id(row),
            int(found.distance[row]),
            int(found.by_hop[row].abs().argmax()) if found.follows_ways else None,
            float(source[row]) / total,
            on,
            told.predicted(row),
            told.label(row),
            told.part(row),
        )

    others = found.ranked_nodes(graph)
    named = others[handed[others].abs().argsort(descending=True, stable=True)][:top].tolist()
    edges: tuple[Carried, ...] = ()
    if found.flow is not None:
        places = found.ranked_edges(graph)
        places = places[found.flow[places].abs().argsort(descending=True, stable=True)][:top]
        ends = graph.edge_index[:, places].t().tolist()
        edges = tuple(
            Carried(told.id(j), told.id(m), float(found.flow[e]) / total)
            for (j, m), e in zip(ends, places.tolist(), strict=True)
        )
    shares = found.by_hop / total
    last = int(shares.abs().sum(0).nonzero().max()) if bool(shares.any()) else 0
    pro, con = shares.clamp(min=0).sum(0), shares.clamp(max=0).sum(0)
    return NodeExplanation(
        asked,
        name,
        value,
        told.label(asked.node),
        found,
        (part(asked.node), *(part(row) for row in named)),
        edges,
        tuple(zip(pro[: last + 1].tolist(), con[: last + 1].tolist(), strict=True)),
        tuple(check for check in checks if check is not None),
    )
