"""Statistics against what can be counted by hand, and against PyG."""

import pytest
import torch

from agdn.data.embedded.csbm import csbm
from agdn.data.stats import (
    adjusted_homophily,
    component_sizes,
    edge_homophily,
    is_symmetric,
    node_homophily,
    num_duplicates,
    num_isolated,
    num_self_loops,
)
from agdn.graph import Graph

GRAPH = Graph(torch.tensor([[0, 1, 2, 2, 3, 0], [1, 0, 2, 3, 2, 1]]), 6)
Y = torch.tensor([0, 1, 1, 1, 0, -1])


def test_by_hand() -> None:
    assert edge_homophily(GRAPH, Y) == pytest.approx(3 / 6)
    assert node_homophily(GRAPH, Y) == pytest.approx((0 + 0 + 1 + 1) / 4)
    assert component_sizes(GRAPH).tolist() == [2, 2, 1, 1]
    assert num_isolated(GRAPH) == 2
    assert num_self_loops(GRAPH) == 1
    assert num_duplicates(GRAPH) == 1
    assert is_symmetric(GRAPH)
    assert not is_symmetric(Graph(torch.tensor([[0], [1]]), 2))


def test_unknown_classes_are_left_out() -> None:
    graph = Graph(torch.tensor([[0, 0], [1, 2]]), 3)
    assert edge_homophily(graph, torch.tensor([1, 1, -1])) == 1.0


def test_an_empty_graph_has_no_statistics_to_divide() -> None:
    graph = Graph(torch.empty(2, 0, dtype=torch.long), 3)
    y = torch.zeros(3, dtype=torch.long)
    assert (edge_homophily(graph, y), node_homophily(graph, y), adjusted_homophily(graph, y)) == (0, 0, 0)
    assert component_sizes(graph).tolist() == [1, 1, 1]


def test_chance_is_adjusted_to_nothing() -> None:
    dataset = csbm(num_nodes=3000, num_classes=2, homophily=0.5, degree=20)
    assert edge_homophily(dataset.graph, dataset.y) == pytest.approx(0.5, abs=0.02)
    assert adjusted_homophily(dataset.graph, dataset.y) == pytest.approx(0, abs=0.03)


def test_pyg_agrees() -> None:
    utils = pytest.importorskip("torch_geometric.utils")
    dataset = csbm(num_nodes=300)
    edge_index = dataset.graph.edge_index
    assert edge_homophily(dataset.graph, dataset.y) == pytest.approx(
        utils.homophily(edge_index, dataset.y, method="edge"), abs=1e-6
    )
    assert utils.contains_isolated_nodes(edge_index, 300) == (num_isolated(dataset.graph) > 0)
