import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from agdn import Graph
from agdn.sampling import RandomPartition
from graphs import random_edges


@settings(deadline=None)  # kernels are compiled at their first call
@given(st.integers(0, 60), st.integers(1, 9), st.integers(0, 3))
def test_parts_are_disjoint_complete_and_induced(num_nodes: int, parts: int, epoch: int) -> None:
    graph = Graph(random_edges(max(num_nodes, 1), 150)[:, : 150 if num_nodes else 0], num_nodes)
    sampler = RandomPartition(graph, parts, seed=2)
    batches = [sampler.batch(epoch, i) for i in range(len(sampler))]
    assert len(batches) == parts
    assert sorted(torch.cat([batch.nodes for batch in batches]).tolist()) == list(range(num_nodes))
    for batch in batches:
        expected = graph.subgraph(batch.nodes)
        assert batch.num_seeds == len(batch.nodes)
        assert torch.equal(batch.graph.indptr, expected.indptr)
        assert torch.equal(batch.graph.indices, expected.indices)
        assert torch.equal(batch.graph.origin[batch.graph.order].long(), expected.origin[expected.order])


def test_nodes_fall_independently_and_uniformly() -> None:
    graph = Graph(torch.zeros(2, 0, dtype=torch.long), 60_000)
    sampler = RandomPartition(graph, 6, seed=0)
    part = torch.empty(2, 60_000, dtype=torch.long)
    for epoch in range(2):
        for index in range(6):
            part[epoch, sampler.batch(epoch, index).nodes] = index
    table = torch.bincount(6 * part[0] + part[1], minlength=36).double()
    expected = 60_000 / 36
    assert float(((table - expected) ** 2 / expected).sum()) < 35 + 6 * math.sqrt(70)
    assert len(set(table.tolist())) > 1  # not dealt out evenly


def test_a_fixed_partition_stays() -> None:
    graph = Graph(random_edges(50, 200), 50)
    fixed, new = RandomPartition(graph, 3, fixed=True, seed=1), RandomPartition(graph, 3, seed=1)
    assert torch.equal(fixed.batch(0, 1).nodes, fixed.batch(7, 1).nodes)
    assert not torch.equal(new.batch(0, 1).nodes, new.batch(7, 1).nodes)


def test_no_parts() -> None:
    with pytest.raises(ValueError, match="needs at least 1 part, got 0"):
        RandomPartition(Graph(random_edges(5, 9), 5), 0)
