"""What all samplers promise."""

from collections.abc import Callable

import numba
import pytest
import torch

from agdn import Graph
from agdn.ops.kernels import jit
from agdn.sampling import (
    Batch,
    ClusterPartition,
    EgoSampler,
    NeighbourSampler,
    RandomPartition,
    SaintEdge,
    SaintNode,
    SaintWalk,
    Sampler,
)
from graphs import AWKWARD, random_edges

GRAPH = Graph(random_edges(200, 900), 200)

SAMPLERS: dict[str, Callable[[Graph, int], Sampler]] = {
    "random partition": lambda graph, seed: RandomPartition(graph, 4, seed=seed),
    "clusters": lambda graph, seed: ClusterPartition(graph, 8, batch_parts=2, seed=seed),
    "saint walk": lambda graph, seed: SaintWalk(graph, 12, 3, batches=4, seed=seed),
    "saint node": lambda graph, seed: SaintNode(graph, 30, batches=4, seed=seed),
    "saint edge": lambda graph, seed: SaintEdge(graph, 30, batches=4, seed=seed),
    "saint walk, normalised": lambda graph, seed: SaintWalk(
        graph, 12, 3, batches=4, normalise=True, coverage=2, seed=seed
    ),
    "neighbours": lambda graph, seed: NeighbourSampler(graph, everyone(graph), (3, 2), batch_size=50, seed=seed),
    "egos": lambda graph, seed: EgoSampler(graph, everyone(graph), (3, 2), batch_size=50, seed=seed),
}
pytestmark = pytest.mark.filterwarnings("ignore:pymetis is not installed")


def everyone(graph: Graph) -> torch.Tensor:
    return torch.ones(graph.num_nodes, dtype=torch.bool)


def tensors(batch: Batch) -> list[torch.Tensor]:
    assert batch.graph.origin is not None
    weights = [weight for weight in (batch.node_weight, batch.edge_weight) if weight is not None]
    return [batch.nodes, batch.graph.indptr, batch.graph.indices, batch.graph.origin, *weights]


def same(a: Batch, b: Batch) -> bool:
    return a.num_seeds == b.num_seeds and all(torch.equal(x, y) for x, y in zip(tensors(a), tensors(b), strict=True))


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_batch_depends_on_its_number_alone(name: str) -> None:
    """Not on what was asked before, nor on which sampler of the same making is asked."""
    make = SAMPLERS[name]
    sampler = make(GRAPH, 5)
    assert len(sampler) == 4
    in_turn = {(epoch, i): sampler.batch(epoch, i) for epoch in range(2) for i in range(4)}
    for epoch, i in [(1, 3), (0, 2), (1, 0), (0, 2)]:
        assert same(make(GRAPH, 5).batch(epoch, i), in_turn[epoch, i])
        assert same(sampler.batch(epoch, i), in_turn[epoch, i])


@pytest.mark.parametrize("name", SAMPLERS)
def test_seeds_epochs_and_batches_differ(name: str) -> None:
    make = SAMPLERS[name]
    sampler = make(GRAPH, 5)
    first = sampler.batch(0, 0)
    assert not same(first, make(GRAPH, 6).batch(0, 0))
    assert not same(first, sampler.batch(1, 0))
    assert not same(first, sampler.batch(0, 1))


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two cores")
@pytest.mark.parametrize("name", SAMPLERS)
def test_the_number_of_threads_does_not_change_a_bit(monkeypatch, name: str) -> None:
    monkeypatch.setattr(jit, "PARALLEL_FROM", 0)
    found = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        sampler = SAMPLERS[name](GRAPH, 5)
        found.append([sampler.batch(0, i) for i in range(4)])
    torch.set_num_threads(1)
    assert all(same(a, b) for a, b in zip(*found, strict=True))


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("awkward", [*AWKWARD, "nothing"])
def test_awkward_graphs(name: str, awkward: str) -> None:
    edge_index, n = AWKWARD.get(awkward, (torch.zeros(2, 0, dtype=torch.long), 0))
    graph = Graph(edge_index, n)
    sampler = SAMPLERS[name](graph, 1)
    for index in range(len(sampler)):
        batch = sampler.batch(0, index)
        assert batch.graph.num_nodes == len(batch.nodes) >= batch.num_seeds
        assert batch.nodes.dtype == torch.int32
        assert torch.equal(batch.nodes.long()[batch.graph.edge_index], edge_index[:, batch.graph.origin.long()])
        if batch.node_weight is not None:
            assert batch.node_weight.shape == batch.nodes.shape
            assert batch.edge_weight.shape == batch.graph.indices.shape
            assert batch.node_weight.isfinite().all()
            assert (batch.edge_weight >= 1).all()


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_batch_that_is_not_there(name: str) -> None:
    sampler = SAMPLERS[name](GRAPH, 0)
    for index in (-1, 4):
        with pytest.raises(ValueError, match=f"there is no batch {index}: an epoch has 4 batches"):
            sampler.batch(0, index)
    with pytest.raises(ValueError, match="numbered from 0, got epoch -1"):
        sampler.batch(-1, 0)


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_seed_that_is_none(name: str) -> None:
    with pytest.raises(ValueError, match="seed must be a whole number from 0"):
        SAMPLERS[name](GRAPH, -1)
