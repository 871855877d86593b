"""The long-range task: hops up to k solve it, anything nearer is at chance."""

import pytest
import torch

from agdn.data.checks import check_dataset
from agdn.data.embedded.long_range import long_range
from agdn.data.errors import DataError


def ridge_accuracy(distance: int, hops: int, branches: int = 0) -> float:
    """A linear model on [X, AX, ..., A^hops X]: what a model with that reach and free hop weights can do."""
    dataset = long_range(distance=distance, num_rings=100, branches=branches)
    graph, split = dataset.graph, dataset.split
    source, target = graph.edge_index
    degree = graph.in_degree.clamp(min=1).unsqueeze(1)
    walked = [dataset.x]
    for _ in range(hops):
        walked.append(torch.zeros_like(dataset.x).index_add_(0, target, walked[-1][source]) / degree)
    features = torch.cat(walked, dim=1).double()
    train, answers = features[split.train], torch.nn.functional.one_hot(dataset.y[split.train]).double()
    weights = torch.linalg.solve(train.t() @ train + 1e-3 * torch.eye(train.size(1)), train.t() @ answers)
    return float(((features[split.test] @ weights).argmax(1) == dataset.y[split.test]).float().mean())


@pytest.mark.parametrize("distance", [2, 5, 8])
def test_only_a_reach_of_the_distance_helps(distance: int) -> None:
    assert ridge_accuracy(distance, distance) > 0.99
    assert ridge_accuracy(distance, distance - 1) == pytest.approx(0.25, abs=0.08)


def test_branches_bury_the_answer() -> None:
    assert 0.3 < ridge_accuracy(3, 3, branches=2) < 0.99
    dataset = long_range(branches=2)
    assert dataset.graph.num_nodes == 3 * 60 * 24
    assert bool((dataset.y[60 * 24 :] == -1).all())
    assert check_dataset(dataset).ok


def test_the_label_is_the_sign_upstream() -> None:
    dataset = long_range(distance=3, noise=0.0)
    source, target = dataset.graph.edge_index
    upstream = torch.empty_like(target)
    upstream[target] = source
    node = upstream[upstream[upstream]]
    assert torch.equal(dataset.x[node, :4].argmax(1), dataset.y)


def test_no_ring_is_in_two_parts() -> None:
    dataset = long_range(ring_length=24)
    rings = [set((part // 24).tolist()) for part in (dataset.split.train, dataset.split.valid, dataset.split.test)]
    assert sum(map(len, rings)) == len(set().union(*rings)) == 60


def test_the_distance_must_fit_the_ring() -> None:
    with pytest.raises(DataError, match="distance=24"):
        long_range(distance=24)
