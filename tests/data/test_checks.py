"""The whole report: defects of the graph, the table, the order, and real sets that are clean but for their oddities."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from agdn.data.checks import MAX_NODES, check_dataset, size_findings
from agdn.data.dataset import Dataset, EdgeSplit
from agdn.data.edge_splits import split_edges
from agdn.data.embedded.csbm import csbm
from agdn.data.names import load_dataset
from agdn.graph import Graph

Defect = Callable[[Dataset], Dataset]


def changed(tensor: torch.Tensor, at: object, value: float) -> torch.Tensor:
    copy = tensor.clone()
    copy[at] = value
    return copy


def with_edges(dataset: Dataset, edges: torch.Tensor) -> Dataset:
    return replace(dataset, graph=Graph(torch.cat([dataset.graph.edge_index, edges], dim=1), dataset.graph.num_nodes))


def assert_found(dataset: Dataset, severity: str, what: str, where: str) -> None:
    """The defect is reported with its severity, in these words, at this place, with a remedy."""
    findings = check_dataset(dataset).findings
    matching = [finding for finding in findings if what in finding.what and where in finding.where]
    assert [finding.severity for finding in matching] == [severity], findings
    assert matching[0].remedy


DEFECTS: dict[str, tuple[Defect, str, str, str]] = {
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
}


@pytest.fixture(scope="module")
def nodes() -> Dataset:
    return csbm(num_nodes=200, degree=20)


@pytest.fixture(scope="module")
def links() -> Dataset:
    return split_edges(csbm(num_nodes=200, degree=20))


def test_the_sets_to_break_are_clean(nodes: Dataset, links: Dataset) -> None:
    assert check_dataset(nodes).findings == []
    assert check_dataset(links).findings == []


@pytest.mark.parametrize("name", DEFECTS)
def test_a_planted_graph_defect_is_found(nodes: Dataset, name: str) -> None:
    plant, severity, what, where = DEFECTS[name]
    assert_found(plant(nodes), severity, what, where)


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
    assert_found(empty, "error", "no nodes", "graph")
    nothing = torch.empty(2, 0, dtype=torch.long)
    with_split = replace(empty, splits=(EdgeSplit(nothing, nothing, nothing, nothing, nothing),))
    assert_found(with_split, "error", "train is empty", "splits[0].train")


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
