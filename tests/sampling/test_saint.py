from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from agdn import Graph
from agdn.sampling import SaintEdge, SaintNode, SaintWalk, Sampler
from graphs import random_edges

EDGES = torch.unique(random_edges(12, 45, seed=3), dim=1)
GRAPH = Graph(EDGES[:, torch.randperm(EDGES.size(1), generator=torch.Generator().manual_seed(0))], 12)
MAKERS: dict[str, Callable[..., Sampler]] = {
    "walk": lambda graph, **options: SaintWalk(graph, 2, 2, **options),
    "node": lambda graph, **options: SaintNode(graph, 6, **options),
    "edge": lambda graph, **options: SaintEdge(graph, 3, **options),
}


def chi_square(counts: Tensor, chances: Tensor) -> float:
    expected = counts.sum() * chances / chances.sum()
    assert not counts[expected == 0].any()
    return float(((counts - expected) ** 2 / expected)[expected > 0].sum())


@pytest.mark.parametrize("name", MAKERS)
def test_batches_are_induced_and_all_nodes_are_seeds(name: str) -> None:
    sampler = MAKERS[name](GRAPH, batches=20, seed=3)
    for index in range(len(sampler)):
        batch = sampler.batch(0, index)
        expected = GRAPH.subgraph(batch.nodes)
        assert torch.equal(batch.graph.indices, expected.indices)
        assert torch.equal(batch.graph.origin[batch.graph.order].long(), expected.origin[expected.order])
        assert bool((batch.nodes.diff() > 0).all())
        assert batch.num_seeds == len(batch.nodes)
        assert batch.node_weight is None
        assert batch.edge_weight is None


def test_roots_are_drawn_uniformly_and_walks_follow_the_edges() -> None:
    roots = SaintWalk(GRAPH, 1, 0, batches=3000, seed=1)
    counts = torch.zeros(12, dtype=torch.double)
    for index in range(3000):
        counts[roots.batch(0, index).nodes] += 1
    assert counts.sum() == 3000
    assert chi_square(counts, torch.ones(12)) < 31.3  # the 0.999 quantile of 11 degrees of freedom
    path = Graph(torch.stack([torch.arange(9), torch.arange(1, 10)]), 10)
    walk = SaintWalk(path, 1, 3, batches=50, seed=0)
    for index in range(50):
        nodes = walk.batch(0, index).nodes.tolist()
        assert nodes == list(range(nodes[0], min(nodes[0] + 4, 10)))


def test_nodes_are_drawn_by_their_out_degree() -> None:
    sampler, counts = SaintNode(GRAPH, 1, batches=3000, seed=2), torch.zeros(12, dtype=torch.double)
    for index in range(3000):
        counts[sampler.batch(0, index).nodes] += 1
    assert chi_square(counts, GRAPH.out_degree) < 31.3


def test_edges_are_drawn_by_the_degrees_of_their_ends() -> None:
    kept = EDGES[:, EDGES[0] < EDGES[1]]  # both ends together name the edge
    graph = Graph(kept, 12)
    sampler, counts = SaintEdge(graph, 1, batches=4000, seed=2), torch.zeros(12, 12, dtype=torch.double)
    for index in range(4000):
        u, v = sampler.batch(0, index).nodes.tolist()
        counts[u, v] += 1
    chances = torch.zeros(12, 12)
    chances[kept[0], kept[1]] = 1 / graph.out_degree[kept[0]] + 1 / graph.in_degree[kept[1]]
    freedom = kept.size(1) - 1
    assert chi_square(counts, chances) < freedom + 6 * (2 * freedom) ** 0.5


@pytest.mark.parametrize("name", MAKERS)
def test_weights_make_sums_and_losses_unbiased(name: str) -> None:
    """Sums over the sampled neighbours of a node, and the loss of a batch, have the full ones as their means."""
    rounds = 4000
    sampler = MAKERS[name](GRAPH, batches=rounds, normalise=True, coverage=1500, seed=7)
    x, loss = torch.rand(12, dtype=torch.double) + 0.5, torch.rand(12, dtype=torch.double)
    full = torch.zeros(12, dtype=torch.double).index_add(0, GRAPH.edge_index[1], x[GRAPH.edge_index[0]])
    weighted, plain, seen, losses = torch.zeros(12), torch.zeros(12), torch.zeros(12), []
    for index in range(rounds):
        batch = sampler.batch(0, index)
        source, target = batch.nodes.long()[batch.graph.edge_index]
        weighted.index_add_(0, target, (batch.edge_weight * x[source]).float())
        plain.index_add_(0, target, x[source].float())
        seen[batch.nodes] += 1
        losses.append(float((batch.node_weight * loss[batch.nodes]).sum()))
    linked = (full > 0) & (seen > 100)
    assert int(linked.sum()) >= 10
    error = ((weighted / seen - full) / full)[linked].abs()
    bias = ((plain / seen - full) / full)[linked].abs()
    assert error.max() < 0.15
    assert error.mean() < 0.04
    assert bias.mean() > 0.25
    reachable = loss.where(seen > 0, 0.0)
    assert abs(sum(losses) / rounds - reachable.sum() / 12) < 0.03 * reachable.sum() / 12


def test_the_estimates_are_the_counts_of_the_formulas() -> None:
    """On a graph of which every subgraph is the whole, C_v = C_uv = C: edges weigh 1, nodes 1/N."""
    graph = Graph(torch.tensor([[0, 1], [1, 0]]), 2)
    batch = SaintWalk(graph, 2, 1, batches=1, normalise=True, seed=0).batch(0, 0)
    assert batch.edge_weight.tolist() == [1, 1]
    assert batch.node_weight.tolist() == [0.5, 0.5]


def test_a_weight_follows_its_edge_in_any_order_of_the_callers_edges() -> None:
    order = torch.randperm(EDGES.size(1))
    a, b = (SaintWalk(Graph(edges, 12), 4, 2, batches=1, normalise=True, coverage=5, seed=1).batch(0, 0)
            for edges in (EDGES, EDGES[:, order]))  # fmt: skip
    assert torch.equal(a.edge_weight, b.edge_weight)
    assert torch.equal(a.graph.origin.long(), order[b.graph.origin])


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: SaintWalk(GRAPH, 0, 2, batches=1), "roots must be at least 1, got 0"),
        (lambda: SaintWalk(GRAPH, 5, -1, batches=1), "a walk cannot have -1 steps"),
        (lambda: SaintNode(GRAPH, 0, batches=1), "nodes must be at least 1"),
        (lambda: SaintEdge(GRAPH, 0, batches=1), "edges must be at least 1"),
        (lambda: SaintNode(GRAPH, 3, batches=0), "batches must be at least 1"),
        (lambda: SaintEdge(GRAPH, 3, batches=1, coverage=0), "coverage must be at least 1"),
    ],
)
def test_what_a_caller_gets_wrong(make: Callable[[], Sampler], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make()
