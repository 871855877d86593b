"""The block model has the degree, the homophily and the signal that it was asked for."""

import numpy as np
import pytest
import torch

from agdn.data.checks import check_dataset
from agdn.data.embedded.csbm import csbm
from agdn.data.errors import DataError
from agdn.data.stats import edge_homophily, num_duplicates, num_self_loops


@pytest.mark.parametrize("homophily", [0.0, 0.3, 0.9, 1.0])
def test_degree_and_homophily(homophily: float) -> None:
    dataset = csbm(num_nodes=4000, num_classes=5, degree=12, homophily=homophily)
    assert dataset.graph.num_edges / 4000 == pytest.approx(12, rel=0.05)
    assert edge_homophily(dataset.graph, dataset.y) == pytest.approx(homophily, abs=0.02)
    assert num_duplicates(dataset.graph) == num_self_loops(dataset.graph) == 0
    assert check_dataset(dataset).ok


def test_features_stand_around_their_centres() -> None:
    dataset = csbm(num_nodes=8000, num_classes=2, num_features=4, signal=3.0)
    for label in (0, 1):
        mean = dataset.x[dataset.y == label].mean(0)
        assert float(mean.norm()) == pytest.approx(3.0, abs=0.1)


def test_every_pair_of_a_class_can_be_linked() -> None:
    """At chance 1 within classes the graph is a set of cliques: no pair is out of the generator's reach."""
    dataset = csbm(num_nodes=60, num_classes=3, degree=19, homophily=1.0)
    assert dataset.graph.num_edges == 3 * 20 * 19
    assert np.array_equal(dataset.graph.in_degree.numpy(), np.full(60, 19))


def test_the_seed_fixes_everything() -> None:
    first, second = csbm(seed=4), csbm(seed=4)
    assert torch.equal(first.graph.edge_index, second.graph.edge_index)
    assert torch.equal(first.x, second.x)


@pytest.mark.parametrize(
    ("options", "complaint"), [({"homophily": 1.5}, "homophily"), ({"num_nodes": 40, "degree": 100}, "degree=100")]
)
def test_impossible_graphs_are_said(options: dict[str, float], complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        csbm(**options)
