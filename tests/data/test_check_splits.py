"""Planted defects in splits of nodes and of edges: each is found, with its place and a remedy."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from agdn.data.checks import check_dataset
from agdn.data.dataset import Dataset, NodeSplit
from agdn.data.edge_splits import split_edges
from agdn.data.embedded.csbm import csbm
from agdn.graph import Graph

Defect = Callable[[Dataset], Dataset]


def changed(tensor: torch.Tensor, at: object, value: float) -> torch.Tensor:
    copy = tensor.clone()
    copy[at] = value
    return copy


def with_part(dataset: Dataset, **parts: torch.Tensor) -> Dataset:
    return replace(dataset, splits=(replace(dataset.split, **parts),))


def joined(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    return torch.cat([first, second], dim=-1)


def with_edges(dataset: Dataset, edges: torch.Tensor) -> Dataset:
    return replace(dataset, graph=Graph(joined(dataset.graph.edge_index, edges), dataset.graph.num_nodes))


def assert_found(dataset: Dataset, severity: str, what: str, where: str) -> None:
    """The defect is reported with its severity, in these words, at this place, with a remedy."""
    findings = check_dataset(dataset).findings
    matching = [finding for finding in findings if what in finding.what and where in finding.where]
    assert [finding.severity for finding in matching] == [severity], findings
    assert matching[0].remedy


NODE_DEFECTS: dict[str, tuple[Defect, str, str, str]] = {
    "split id out of range": (
        lambda d: with_part(d, valid=changed(d.split.valid, 4, 999)),
        *("error", "node 999 does not exist; ids lie in 0..199", "splits[0].valid, row 4"),
    ),
    "node listed twice": (
        lambda d: with_part(d, train=joined(d.split.train, d.split.train[:1])),
        *("error", "listed twice", "splits[0].train"),
    ),
    "overlapping parts": (
        lambda d: with_part(d, train=joined(d.split.train, d.split.test[:2])),
        *("error", "2 node(s) are in both train and test", "splits[0].train, splits[0].test"),
    ),
    "empty part": (lambda d: with_part(d, valid=d.split.valid[:0]), "error", "valid part is empty", "splits[0].valid"),
    "no split": (lambda d: replace(d, splits=()), "warning", "no split", "splits"),
    "test node without a label": (
        lambda d: replace(d, y=changed(d.y, int(d.split.test[0]), -1)),
        *("error", "test part have no label", "splits[0].test"),
    ),
    "class never trained": (
        lambda d: with_part(d, train=d.split.train[d.y[d.split.train] != 2]),
        *("warning", "class 2 is tested but never trained", "splits[0].train"),
    ),
    "edge split for a node task": (
        lambda d: replace(d, splits=split_edges(d).splits),
        *("error", "nodes are predicted, but edges are split", "splits[0]"),
    ),
}

LINK_DEFECTS: dict[str, tuple[Defect, str, str, str]] = {
    "test edge in the message graph": (
        lambda d: with_edges(d, d.split.test[:, :2]),
        *("error", "2 test edge(s) are in the message graph", "splits[0].test"),
    ),
    "reverse of a valid edge in the message graph": (
        lambda d: with_edges(d, d.split.valid[:, :1].flip(0)),
        *("error", "the reverse of 1 valid edge(s) is in the message graph", "splits[0].valid"),
    ),
    "edge in two parts": (
        lambda d: with_part(d, test=joined(d.split.test, d.split.valid[:, :1])),
        *("error", "1 edge(s) of valid and test are in both parts", "splits[0].valid, splits[0].test"),
    ),
    "reverse edges across the split": (
        lambda d: with_part(d, test=joined(d.split.test, d.split.valid[:, :1].flip(0))),
        *("error", "in the other part backwards", "splits[0].valid, splits[0].test"),
    ),
    "pair out of range": (
        lambda d: with_part(d, test=changed(d.split.test, (1, 3), 10**6)),
        *("error", "names a node that does not exist", "splits[0].test, column 3"),
    ),
    "negative that is an edge": (
        lambda d: with_part(d, valid_negative=joined(d.split.valid_negative, d.split.train[:, :1])),
        *("error", "1 negative(s) are edges", "splits[0].valid_negative"),
    ),
    "negative self-loop": (
        lambda d: with_part(d, test_negative=joined(d.split.test_negative, torch.tensor([[4], [4]]))),
        *("warning", "join a node to itself", "splits[0].test_negative"),
    ),
    "no negatives": (
        lambda d: with_part(d, test_negative=d.split.test_negative[:, :0]),
        *("error", "test_negative is empty", "splits[0].test_negative"),
    ),
    "wrong number of negatives": (
        lambda d: replace(d, splits=(replace(d.split, negatives_per_edge=7),)),
        *("error", "do not make 7 for each", "splits[0].valid_negative"),
    ),
    "pairs on their side": (
        lambda d: with_part(d, test=d.split.test.t()),
        *("error", "test has shape", "splits[0].test"),
    ),
    "node split for links": (
        lambda d: replace(d, splits=(NodeSplit(*(torch.tensor([i]) for i in range(3))),)),
        *("error", "links are predicted, but nodes are split", "splits[0]"),
    ),
}


@pytest.mark.parametrize("name", NODE_DEFECTS)
def test_a_planted_node_defect_is_found(name: str) -> None:
    plant, severity, what, where = NODE_DEFECTS[name]
    assert_found(plant(csbm(num_nodes=200, degree=20)), severity, what, where)


@pytest.mark.parametrize("name", LINK_DEFECTS)
def test_a_planted_link_defect_is_found(name: str) -> None:
    plant, severity, what, where = LINK_DEFECTS[name]
    assert_found(plant(split_edges(csbm(num_nodes=200, degree=20))), severity, what, where)
