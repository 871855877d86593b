"""R-MAT graphs: size, skew, and labels that the graph explains."""

import pytest
import torch

from agdn.data.checks import check_dataset
from agdn.data.embedded import rmat as module
from agdn.data.embedded.rmat import rmat
from agdn.data.errors import DataError


def test_few_nodes_have_most_links() -> None:
    dataset = rmat(num_nodes=5000, num_edges=50_000)
    degrees = dataset.graph.in_degree.sort(descending=True).values
    assert int(degrees[:50].sum()) > 0.1 * dataset.graph.num_edges
    assert 60_000 < dataset.graph.num_edges <= 100_000
    assert check_dataset(dataset).ok


def test_equal_corners_are_an_even_graph() -> None:
    dataset = rmat(num_nodes=5000, num_edges=50_000, corners=(0.25, 0.25, 0.25))
    assert int(dataset.graph.in_degree.max()) < 50


def test_blocks_cover_any_number_of_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 1000)
    dataset = rmat(num_nodes=777, num_edges=20_500, corners=(0.25, 0.25, 0.25))
    assert int((dataset.graph.in_degree > 0).sum()) == 777


def test_labels_follow_from_the_neighbours() -> None:
    dataset = rmat(num_nodes=300, num_edges=3000, num_features=4, num_classes=3)
    source, target = dataset.graph.edge_index
    total = torch.zeros(300, 4).index_add_(0, target, dataset.x[source])
    alone = torch.linalg.lstsq(total, torch.nn.functional.one_hot(dataset.y, 3).float()).solution
    assert float(((total @ alone).argmax(1) == dataset.y).float().mean()) > 0.8


def test_nonsense_is_said() -> None:
    with pytest.raises(DataError, match="two nodes or more"):
        rmat(num_nodes=1)
