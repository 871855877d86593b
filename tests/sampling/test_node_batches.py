import pytest
import torch

from agdn import Graph
from agdn.sampling import NodeBatches
from graphs import random_edges


def test_every_seed_comes_once_an_epoch_in_a_new_order() -> None:
    graph, seeds = Graph(random_edges(40, 90), 40), torch.arange(5, 36, 3)
    sampler = NodeBatches(graph, seeds, 4, seed=1)
    epochs = [torch.cat([sampler.batch(epoch, index).nodes for index in range(len(sampler))]) for epoch in (0, 1, 0)]
    assert [len(sampler.batch(0, index).nodes) for index in range(len(sampler))] == [4, 4, 3]
    assert all(torch.equal(found.sort().values, seeds) for found in epochs)
    assert torch.equal(epochs[0], epochs[2])
    assert not torch.equal(epochs[0], epochs[1])


def test_a_batch_has_the_whole_graph() -> None:
    graph = Graph(random_edges(40, 90), 40)
    batch = NodeBatches(graph, torch.arange(10), 4).batch(0, 2)
    assert batch.graph is graph
    assert batch.in_whole
    assert batch.to("cpu").in_whole
    assert batch.num_seeds == len(batch.nodes) == 2


@pytest.mark.parametrize(("seeds", "size", "lengths"), [(9, 4, [4, 5]), (1, 4, [1]), (3, 1, [1, 1, 1]), (8, 4, [4, 4])])
def test_one_node_left_over_joins_the_batch_before_it(seeds: int, size: int, lengths: list[int]) -> None:
    sampler = NodeBatches(Graph(random_edges(40, 90), 40), torch.arange(seeds), size)
    assert [len(sampler.batch(0, index).nodes) for index in range(len(sampler))] == lengths
