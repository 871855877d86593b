"""Pieces of a graph that are small enough to be seen: all of it, or what surrounds a few nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from agdn.data.dataset import Dataset
from agdn.graph import Graph
from agdn.report.gather.answers import Answers
from agdn.report.gather.layout import layout
from agdn.tasks.node import PARTS

WHOLE = 300  # nodes up to which a graph is shown as it is
AROUND = 90  # nodes that are shown around one
MOST_VIEWS = 12  # of all recipes together
MOST_OF_A_RECIPE = 4


@dataclass(frozen=True)
class ViewNode:
    """A node as it is drawn.

    Attributes:
        colour: What it is coloured by: the predicted class, a number, or the probability of the first task.
        right: Whether the prediction is; None for numbers, and where the truth is not known.
        part: train, valid, test, or empty.
        degree: Neighbours in the whole graph that it hears.
        hops: Its weights, a row a layer; empty where nodes do not weigh.
    """

    name: str
    colour: float
    predicted: str
    true: str
    sure: float | None
    right: bool | None
    part: str
    degree: int
    hops: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class View:
    """A piece of the graph: ``places`` (n, 2) in 0..1, ``edges`` (m, 2) from source to target, without self-loops."""

    title: str
    nodes: tuple[ViewNode, ...]
    places: np.ndarray
    edges: np.ndarray
    centre: int | None


@dataclass(frozen=True)
class Views:
    """``hops`` numbers the columns of the nodes' weights, layer by layer."""

    views: tuple[View, ...]
    seed: int
    names: tuple[str, ...]
    target: str
    hops: tuple[tuple[int, ...], ...]


def views(answers: Answers, centres: Sequence[int]) -> Views:
    """The whole graph where it is small, and the surroundings of each of ``centres``."""
    graph = answers.dataset.graph
    layers = [(hops, table) for hops in answers.hops if (table := hops.of_nodes(graph.num_nodes)) is not None]
    weights = [table for _, table in layers]
    pieces: list[tuple[str, np.ndarray, int | None]] = [
        (f"around node {answers.node_id(node)}", surroundings(graph, node), node) for node in centres
    ]
    if is_small(graph):
        pieces.insert(0, ("the whole graph", np.arange(graph.num_nodes), None))
    shown = [_view(title, members, centre, answers, weights) for title, members, centre in pieces]
    hops = tuple(tuple(range(of.first_hop, of.first_hop + table.size(1))) for of, table in layers)
    return Views(tuple(shown), answers.run.seed, answers.names, answers.output.target, hops)


def is_small(graph: Graph) -> bool:
    """Whether all of it can be seen."""
    return graph.num_nodes <= WHOLE


def surroundings(graph: Graph, node: int, most: int = AROUND) -> np.ndarray:
    """The node and those that it hears of first, ring by ring; where nobody is heard, those that hear it."""
    seen, ring = [node], [node]
    known = {node}
    while ring and len(seen) < most:
        following: list[int] = []
        for member in ring:
            for other in _heard(graph, member) or _hearing(graph, member):
                if other not in known:
                    known.add(other)
                    following.append(other)
        seen, ring = seen + following, following
    return np.array(seen[:most])


def node_rows(dataset: Dataset, names: Sequence[str]) -> list[int]:
    """The rows of nodes by the user's own ids."""
    ids = dataset.node_ids
    rows = {str(row if ids is None else ids[row]): row for row in range(dataset.graph.num_nodes)}
    for name in names:
        if name not in rows:
            raise ValueError(f"{dataset.name} has no node {name!r}; ids look like {next(iter(rows), '')!r}")
    return [rows[name] for name in names]


def _heard(graph: Graph, node: int) -> list[int]:
    start, end = int(graph.indptr[node]), int(graph.indptr[node + 1])
    return [other for other in graph.indices[start:end].tolist() if other != node]


def _hearing(graph: Graph, node: int) -> list[int]:
    start, end = int(graph.transposed.indptr[node]), int(graph.transposed.indptr[node + 1])
    return [other for other in graph.transposed.indices[start:end].tolist() if other != node]


def _view(
    title: str, members: np.ndarray, centre: int | None, answers: Answers, weights: Sequence[torch.Tensor]
) -> View:
    graph = answers.dataset.graph
    edges = graph.subgraph(torch.from_numpy(members)).edge_index.numpy().T
    edges = np.unique(edges[edges[:, 0] != edges[:, 1]], axis=0)
    nodes = tuple(_node(int(row), answers, weights) for row in members)
    return View(title, nodes, layout(len(members), edges), edges, None if centre is None else 0)


def _node(row: int, answers: Answers, weights: Sequence[torch.Tensor]) -> ViewNode:
    split = answers.split
    part = next((name for name in PARTS if bool((getattr(split, name) == row).any())), "")
    hops = tuple(tuple(float(value) for value in table[row]) for table in weights)
    told = _told(row, answers)
    return ViewNode(str(answers.node_id(row)), *told, part, len(_heard(answers.dataset.graph, row)), hops)


def _told(row: int, answers: Answers) -> tuple[float, str, str, float | None, bool | None]:
    """Colour, prediction, truth, confidence, and whether it is right."""
    names, y = answers.names, answers.y[row]
    if answers.probabilities is None:
        said = float(answers.values[row])
        return said, f"{said:.4g}", "unknown" if bool(y.isnan()) else f"{float(y):.4g}", None, None
    if answers.output.target == "class":
        said, truth = int(answers.values[row]), int(y)
        sure = float(answers.probabilities[row, said])
        known = truth >= 0
        return said, names[said], names[truth] if known else "unknown", sure, said == truth if known else None
    said_yes, true_yes = answers.values[row] == 1, y == 1
    listed = [", ".join(name for name, yes in zip(names, flags, strict=True) if yes) for flags in (said_yes, true_yes)]
    wrong = bool(((answers.values[row] != y) & ~y.isnan()).any())
    return float(answers.probabilities[row, 0]), listed[0] or "none", listed[1] or "none", None, not wrong
