"""The embedded default."""

import torch

from agdn.data.checks import check_dataset
from agdn.data.embedded.digits import digits
from agdn.data.stats import edge_homophily, is_symmetric


def test_the_promised_graph_and_split() -> None:
    dataset = digits()
    assert dataset.graph.num_nodes == 1797
    assert is_symmetric(dataset.graph)
    assert int(dataset.graph.in_degree.min()) >= 10
    assert dataset.x.shape == (1797, 64)
    assert 0 <= float(dataset.x.min()) < float(dataset.x.max()) == 1
    split = dataset.split
    assert torch.bincount(dataset.y[split.train]).tolist() == [5] * 10
    assert [len(split.train), len(split.valid), len(split.test)] == [50, 300, 1447]
    assert edge_homophily(dataset.graph, dataset.y) > 0.95
    assert check_dataset(dataset).ok


def test_the_seed_moves_the_split_and_nothing_else() -> None:
    first, second = digits(seed=0), digits(seed=1)
    assert torch.equal(first.graph.edge_index, second.graph.edge_index)
    assert not torch.equal(first.split.train, second.split.train)
    assert torch.equal(second.split.train, digits(seed=1).split.train)
