import sys
import types
import warnings
from itertools import pairwise

import numpy as np
import pytest
import torch

from agdn import Graph
from agdn.sampling import ClusterPartition, cluster_partition
from graphs import random_edges, symmetric


def communities(count: int, size: int) -> Graph:
    """Dense groups of nodes, numbered at random, with one edge from each to the next."""
    blocks = [block * size + random_edges(size, 6 * size, seed=block) for block in range(count)]
    bridges = torch.stack([torch.arange(count) * size, (torch.arange(count) * size + size) % (count * size)])
    names = torch.randperm(count * size)
    return Graph(names[torch.cat([*blocks, bridges], dim=1)], count * size)


@pytest.fixture
def without_metis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymetis", None)
    cluster_partition._warn_random.cache_clear()


def covered(sampler: ClusterPartition, epoch: int) -> list[int]:
    return sorted(torch.cat([sampler.batch(epoch, i).nodes for i in range(len(sampler))]).tolist())


@pytest.mark.usefixtures("without_metis")
def test_without_metis_parts_are_random_of_equal_size_and_one_warning_says_so() -> None:
    graph = Graph(random_edges(103, 400), 103)
    with pytest.warns(UserWarning, match=r"pip install 'agdn\[metis\]'"):
        sampler = ClusterPartition(graph, 10, batch_parts=3, seed=4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other = ClusterPartition(graph, 10, batch_parts=3, seed=5)
    assert not torch.equal(sampler.clusters, other.clusters)
    sizes = torch.bincount(sampler.clusters, minlength=10)
    assert sizes.max() - sizes.min() <= 1
    assert len(sampler) == 4  # 3 + 3 + 3 + 1 clusters
    for epoch in range(2):
        assert covered(sampler, epoch) == list(range(103))


@pytest.mark.usefixtures("without_metis")
@pytest.mark.filterwarnings("ignore:pymetis")
def test_clusters_meet_in_new_company_each_epoch_and_batches_are_induced() -> None:
    graph = Graph(random_edges(60, 400), 60)
    sampler = ClusterPartition(graph, 12, batch_parts=4, seed=0)
    company = set()
    for epoch in range(5):
        batch = sampler.batch(epoch, 0)
        clusters = sampler.clusters[batch.nodes].unique()
        assert len(clusters) == 4
        assert len(batch.nodes) == int(torch.isin(sampler.clusters, clusters).sum())  # whole clusters
        company.add(tuple(clusters.tolist()))
        expected = graph.subgraph(batch.nodes)
        assert torch.equal(batch.graph.indices, expected.indices)
        assert torch.equal(batch.graph.indptr, expected.indptr)
    assert len(company) > 1


def test_metis_sees_every_link_once_in_each_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {}

    def part_graph(parts, adjacency, *, options):
        starts, ends = adjacency
        asked.update(parts=parts, seed=options["seed"])
        asked["rows"] = [ends[a:b].tolist() for a, b in pairwise(starts)]
        return 0, np.arange(len(starts) - 1) % parts

    fake = types.SimpleNamespace(
        part_graph=part_graph, Options=lambda **options: options, CSRAdjacency=lambda *arrays: arrays
    )
    monkeypatch.setitem(sys.modules, "pymetis", fake)
    edge_index = torch.tensor([[0, 0, 1, 2, 2, 3, 3], [1, 1, 0, 2, 3, 0, 4]])  # repeats, a loop, one-way links
    sampler = ClusterPartition(Graph(edge_index, 6), 2, seed=1)
    assert asked["rows"] == [[1, 3], [0], [3], [0, 2, 4], [3], []]
    assert asked["parts"] == 2
    assert 0 <= asked["seed"] < 2**31
    assert sampler.clusters.tolist() == [0, 1, 0, 1, 0, 1]


def test_metis_finds_communities() -> None:
    pytest.importorskip("pymetis")
    graph = communities(6, 40)
    sampler = ClusterPartition(graph, 6, seed=2)
    inside = sum(sampler.batch(0, i).graph.num_edges for i in range(6))
    assert inside >= graph.num_edges - 30
    assert torch.equal(sampler.clusters, ClusterPartition(graph, 6, seed=2).clusters)


@pytest.mark.parametrize("parts", [1, 5, 9])
def test_nothing_to_cut_needs_no_metis(monkeypatch: pytest.MonkeyPatch, parts: int) -> None:
    monkeypatch.setitem(sys.modules, "pymetis", None)
    cluster_partition._warn_random.cache_clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few = ClusterPartition(Graph(symmetric(random_edges(5, 12)), 5), parts)
        loops = ClusterPartition(Graph(torch.arange(5).expand(2, -1), 5), parts)
    assert covered(few, 0) == covered(loops, 0) == list(range(5))


@pytest.mark.parametrize(
    ("parts", "batch_parts", "sentence"),
    [(0, 1, "needs at least 1 part"), (4, 0, r"batch_parts must lie in 1\.\.4"), (4, 5, "got 5")],
)
def test_what_a_caller_gets_wrong(parts: int, batch_parts: int, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        ClusterPartition(Graph(random_edges(9, 20), 9), parts, batch_parts=batch_parts)
