"""Planted defects: each is found, with its place and what to do about it; clean sets stay clean."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from agdn.data.checks import MAX_NODES, CheckReport, check_dataset, size_findings
from agdn.data.dataset import Dataset, EdgeSplit, NodeSplit
from agdn.data.edge_splits import split_edges
from agdn.data.embedded.csbm import csbm
from agdn.data.embedded.edge_task import edge_task
from agdn.data.names import load_dataset
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


NODE_DEFECTS: dict[str, tuple[Defect, str, str, str]] = {
    "NaN feature": (lambda d: replace(d, x=changed(d.x, (7, 3), float("nan"))), "error", "NaN", "x, row 7, column 3"),
    "infinite feature": (
        lambda d: replace(d, x=changed(d.x, (2, 0), float("inf"))),
        "error",
        "infinite",
        "row 2, column 0",
    ),
    "missing feature row": (lambda d: replace(d, x=d.x[1:]), "error", "199 rows for 200 nodes", "x"),
    "double features": (lambda d: replace(d, x=d.x.double()), "error", "float64", "x"),
    "constant feature": (
        lambda d: replace(d, x=changed(d.x, (slice(None), 5), 1.0)),
        "warning",
        "same on every",
        "column 5",
    ),
    "id among features": (lambda d: replace(d, x=changed(d.x, (0, 4), 2.0**31)), "warning", "2^24", "x, column 4"),
    "unscaled feature": (lambda d: replace(d, x=changed(d.x, (0, 4), 5e6)), "warning", "reaches 5e+06", "x, column 4"),
    "label below the range": (lambda d: replace(d, y=changed(d.y, 9, -5)), "error", "outside 0..3", "y, row 9"),
    "label above the range": (
        lambda d: replace(d, y=changed(d.y, 9, 40), class_names=("a", "b", "c", "d")),
        *("error", "outside 0..3, the first is 40", "y, row 9"),
    ),
    "fractional classes": (lambda d: replace(d, y=d.y.float()), "error", "classes are torch.float32", "y"),
    "missing label row": (lambda d: replace(d, y=d.y[1:]), "error", "199 labels for 200 nodes", "y"),
    "no labels": (lambda d: replace(d, y=None), "error", "no labels", "y"),
    "one class": (lambda d: replace(d, y=torch.zeros_like(d.y)), "error", "of one class", "y"),
    "class without nodes": (lambda d: replace(d, y=torch.where(d.y == 1, 2, d.y)), "warning", "of class 1", "y"),
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
    "repeated edges": (lambda d: with_edges(d, d.graph.edge_index[:, :3]), "warning", "3 edges repeat", "graph"),
    "self-loops": (lambda d: with_edges(d, torch.tensor([[1], [1]])), "note", "1 self-loops", "graph"),
    "isolated node": (
        lambda d: replace(d, graph=Graph(d.graph.edge_index[:, (d.graph.edge_index != 5).all(0)], 200)),
        *("note", "1 nodes have no neighbour", "graph"),
    ),
    "no edges": (
        lambda d: replace(d, graph=Graph(torch.empty(2, 0, dtype=torch.long), 200)),
        *("error", "no edges", "graph"),
    ),
    "one-way edges": (
        lambda d: replace(d, graph=Graph(d.graph.edge_index[:, :50], 200)),
        *("note", "edges go one way", "graph"),
    ),
    "edge attributes of another graph": (
        lambda d: replace(d, edge_attr=torch.ones(3, 2)),
        *("error", "edge_attr has 3 rows", "edge_attr"),
    ),
    "negative weight": (
        lambda d: replace(d, edge_weight=changed(torch.ones(d.graph.num_edges), 6, -1.0)),
        *("warning", "weight -1.0 is negative", "edge_weight, row 6"),
    ),
    "column of another length": (
        lambda d: replace(d, extra={"year": torch.ones(3)}),
        *("error", "3 rows for 200 nodes", "extra['year']"),
    ),
    "id used twice": (
        lambda d: replace(d, node_ids=np.array([*(f"n{i}" for i in range(199)), "n0"])),
        *("error", "node id 'n0' names 2 nodes", "node_ids, row 0"),
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
        *("warning", "1 negative(s) are edges", "splits[0].valid_negative"),
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


def found(report: CheckReport, severity: str, what: str, where: str) -> bool:
    return any(
        finding.severity == severity and what in finding.what and where in finding.where and finding.remedy
        for finding in report.findings
    )


@pytest.fixture(scope="module")
def nodes() -> Dataset:
    return csbm(num_nodes=200, degree=20)


@pytest.fixture(scope="module")
def links() -> Dataset:
    return split_edges(csbm(num_nodes=200, degree=20))


def test_the_sets_to_break_are_clean(nodes: Dataset, links: Dataset) -> None:
    assert check_dataset(nodes).findings == []
    assert check_dataset(links).findings == []


@pytest.mark.parametrize("name", NODE_DEFECTS)
def test_a_planted_node_defect_is_found(nodes: Dataset, name: str) -> None:
    plant, severity, what, where = NODE_DEFECTS[name]
    report = check_dataset(plant(nodes))
    assert found(report, severity, what, where), report.findings


@pytest.mark.parametrize("name", LINK_DEFECTS)
def test_a_planted_link_defect_is_found(links: Dataset, name: str) -> None:
    plant, severity, what, where = LINK_DEFECTS[name]
    report = check_dataset(plant(links))
    assert found(report, severity, what, where), report.findings


@pytest.mark.parametrize(
    ("plant", "severity", "what", "where"),
    [
        (lambda d: replace(d, y=changed(d.y, (3, 1), 2.0)), "error", "label 2.0 is neither 0, 1", "y, row 3, column 1"),
        (lambda d: replace(d, y=changed(d.y, (slice(None), 2), 1.0)), "warning", "task 2 has labels of one kind", "y"),
        (lambda d: replace(d, y=d.y[:, 0]), "error", "multi-label target has shape", "y"),
    ],
)
def test_a_planted_task_defect_is_found(plant: Defect, severity: str, what: str, where: str) -> None:
    assert found(check_dataset(plant(edge_task(num_nodes=200))), severity, what, where)


def test_numbers_that_overflow_are_found() -> None:
    (too_many,) = size_findings(MAX_NODES + 1, 10)
    assert too_many.severity == "error"
    assert "does not fit 64 bits" in too_many.what
    (wide,) = size_findings(10, 2**31)
    assert wide.severity == "warning"
    assert list(size_findings(10**6, 10**9)) == []


def test_the_gravest_findings_come_first(nodes: Dataset) -> None:
    broken = with_edges(replace(nodes, x=changed(nodes.x, (7, 3), float("nan"))), torch.tensor([[1, 1], [1, 1]]))
    report = check_dataset(broken)
    assert [finding.severity for finding in report.findings] == ["error", "warning", "note"]
    assert not report.ok


def test_the_table(nodes: Dataset, links: Dataset) -> None:
    table = dict(check_dataset(nodes).table)
    assert table["nodes"] == "200"
    assert table["classes"] == "4"
    assert table["splits"] == "1 (120 / 40 / 40 nodes)"
    assert table["homophily"].startswith("0.")
    assert {"components", "isolated nodes", "duplicate edges", "self-loops"} <= set(table)
    assert dict(check_dataset(links).table)["splits"].endswith("edges)")


def test_an_empty_graph_is_reported_and_nothing_breaks() -> None:
    empty = Dataset("empty", Graph(torch.empty(2, 0, dtype=torch.long), 0), "link", "rocauc")
    assert found(check_dataset(empty), "error", "no nodes", "graph")
    nothing = torch.empty(2, 0, dtype=torch.long)
    with_split = replace(empty, splits=(EdgeSplit(nothing, nothing, nothing, nothing, nothing),))
    assert found(check_dataset(with_split), "error", "train is empty", "splits[0].train")


@pytest.mark.parametrize(
    ("name", "oddities"),
    [
        ("cora", {"1 feature(s) are the same on every node: 444"}),
        ("citeseer", set()),
        ("pubmed", set()),
        ("chameleon", set()),
        ("squirrel", set()),
        ("actor", set()),
        ("amazon-photo", set()),
        ("amazon-computers", set()),
        ("coauthor-cs", set()),
        ("usair", set()),
        ("ns", set()),
        ("celegans", set()),
        ("power", set()),
        ("ogbn-arxiv", set()),
        ("ogbl-ddi", set()),
        ("digits", {"3 feature(s) are the same on every node: 0, 32, 39"}),
    ],
)
def test_real_sets_are_clean_but_for_what_is_odd_in_them(data_root: Path, name: str, oddities: set[str]) -> None:
    report = check_dataset(load_dataset(name, data_root, cache=False))
    assert report.ok
    assert {finding.what for finding in report.findings if finding.severity == "warning"} == oddities
