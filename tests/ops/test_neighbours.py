import math

import numba
import pytest
import torch
from torch import Tensor

from agdn import Graph
from agdn.ops import induced_subgraph, sample_egos, sample_neighbours
from agdn.ops.kernels import jit
from agdn.ops.kernels.neighbours import SCANNED
from graphs import AWKWARD, random_edges, symmetric


def assert_edges_of(found: Graph, nodes: Tensor, parent: Graph) -> None:
    """The sampled edges are edges of the parent, and the graph is as its constructor would have made it."""
    assert found.origin is not None
    assert torch.equal(nodes.long()[found.edge_index], parent.edge_index[:, found.origin.long()])
    again = Graph(found.edge_index, found.num_nodes)
    assert torch.equal(found.indices, again.indices)
    assert torch.equal(found.indptr, again.indptr)


def reached(parent: Graph, seeds: Tensor, hops: int) -> list[set[int]]:
    """The nodes that lead to the seeds, by distance."""
    rings, known = [set(seeds.tolist())], set(seeds.tolist())
    for _ in range(hops):
        new = {u for u, v in parent.edge_index.t().tolist() if v in rings[-1]} - known
        known |= new
        rings.append(new)
    return rings


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("fanouts", [(), (0,), (2,), (3, 2, 1), (-1, 2), (2, -1, 70)])
@pytest.mark.parametrize("name", AWKWARD)
def test_edges_exist_and_counts_are_exact(name: str, fanouts: tuple[int, ...], replace: bool) -> None:
    edge_index, n = AWKWARD[name]
    graph, seeds = Graph(edge_index, n), torch.arange(n).flip(0)[: (n + 1) // 2]
    found, nodes = sample_neighbours(graph, seeds, fanouts, replace=replace, seed=1)
    assert_edges_of(found, nodes, graph)
    assert torch.equal(nodes[: len(seeds)].long(), seeds)
    assert len(nodes.unique()) == len(nodes) == found.num_nodes
    if not replace:
        assert len(found.origin.unique()) == found.num_edges
    first, last = 0, len(seeds)
    for fanout in fanouts:
        for i in range(first, last):
            degree = int(graph.in_degree[nodes[i]])
            most = degree if fanout < 0 else fanout
            assert int(found.in_degree[i]) == (most if replace and degree else min(degree, most))
        discovered = found.indices[found.indptr[first] : found.indptr[last]].unique()
        discovered = discovered[discovered >= last]
        assert discovered.tolist() == list(range(last, last + len(discovered)))
        first, last = last, last + len(discovered)
    assert last == found.num_nodes
    assert int(found.indptr[first]) == found.num_edges  # what the last hop has found draws nothing


def test_all_neighbours_are_the_whole_neighbourhood() -> None:
    graph = Graph(random_edges(60, 150, seed=7), 60)
    seeds = torch.tensor([5, 41])
    found, nodes = sample_neighbours(graph, seeds, (-1, -1, -1), seed=0)
    rings = reached(graph, seeds, 3)
    assert set(nodes.tolist()) == set().union(*rings)
    inner = set().union(*rings[:3])
    expected = [e for e, (_, v) in enumerate(graph.edge_index.t().tolist()) if v in inner]
    assert sorted(found.origin.tolist()) == expected
    position = {node: i for i, node in enumerate(nodes.tolist())}
    assert [i for ring in rings for i in sorted(position[node] for node in ring)] == list(range(len(nodes)))


def star(leaves: int) -> Graph:
    """Every leaf leads to node 0."""
    return Graph(torch.stack([torch.arange(1, leaves + 1), torch.zeros(leaves, dtype=torch.long)]), leaves + 1)


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize(("degree", "fanout"), [(7, 3), (7, 6), (100, SCANNED), (100, SCANNED + 1), (90, 80)])
def test_every_edge_is_drawn_alike(degree: int, fanout: int, replace: bool) -> None:
    """Both ways of drawing without replacement; a chi-square statistic within six deviations of its mean."""
    graph, counts, rounds = star(degree), torch.zeros(degree), 3000
    for seed in range(rounds):
        found, _ = sample_neighbours(graph, torch.tensor([0]), (fanout,), replace=replace, seed=seed)
        drawn = torch.bincount(found.origin, minlength=degree)
        assert drawn.sum() == fanout
        assert replace or drawn.max() == 1
        counts += drawn
    expected = rounds * fanout / degree
    spread = 1.0 if replace else 1 - fanout / degree  # of a count without replacement, against a Poisson one
    statistic = float(((counts - expected) ** 2).sum() / (expected * spread))
    assert abs(statistic - degree) < 6 * math.sqrt(2 * degree)


def test_pairs_are_drawn_alike_too() -> None:
    counts = torch.zeros(5, 5)
    for seed in range(4000):
        found, _ = sample_neighbours(star(5), torch.tensor([0]), (2,), seed=seed)
        a, b = sorted(found.origin.tolist())
        counts[a, b] += 1
    pairs = counts[counts > 0]
    assert len(pairs) == 10
    assert float(((pairs - 400) ** 2 / 400).sum()) < 27.9  # the 0.999 quantile of 9 degrees of freedom


def test_nodes_draw_for_themselves() -> None:
    """What a node draws depends on the seed, not on the other seeds; two nodes draw differently."""
    graph = Graph(torch.cartesian_prod(torch.arange(50), torch.arange(50)).t(), 50)
    alone, nodes = sample_neighbours(graph, torch.tensor([3]), (5,), seed=9)
    both, all_nodes = sample_neighbours(graph, torch.tensor([8, 3]), (5,), seed=9)
    of_three = all_nodes[both.indices[both.indptr[1] : both.indptr[2]]]
    of_eight = all_nodes[both.indices[both.indptr[0] : both.indptr[1]]]
    assert set(of_three.tolist()) == set(nodes[alone.indices].tolist())
    assert set(of_three.tolist()) != set(of_eight.tolist())


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two cores")
@pytest.mark.parametrize("sample", [sample_neighbours, sample_egos])
@pytest.mark.parametrize("replace", [False, True])
def test_the_number_of_threads_does_not_change_a_bit(monkeypatch, sample, replace: bool) -> None:
    monkeypatch.setattr(jit, "PARALLEL_FROM", 0)
    graph, seeds, results = Graph(symmetric(random_edges(300, 2000)), 300), torch.randperm(300)[:40], []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        results.append(sample(graph, seeds, (4, 3), replace=replace, seed=1))
    torch.set_num_threads(1)
    (a, a_nodes), (b, b_nodes) = results
    assert torch.equal(a_nodes, b_nodes)
    for name in ("indptr", "indices", "origin"):
        assert torch.equal(getattr(a, name), getattr(b, name))


def test_long_ids() -> None:
    graph = Graph(random_edges(40, 300), 40)
    long = Graph.from_parts(graph.indptr, graph.indices.long(), graph.order.long(), size=(40, 40))
    for sample in (sample_neighbours, sample_egos):
        (a, a_nodes), (b, b_nodes) = (sample(g, torch.tensor([4, 2]), (3, 3), seed=5) for g in (graph, long))
        assert (a_nodes.dtype, b_nodes.dtype) == (torch.int32, torch.int64)
        assert a_nodes.tolist() == b_nodes.tolist()
        assert torch.equal(a.indices, b.indices)
        assert a.origin.tolist() == b.origin.tolist()


def test_a_failure_leaves_nothing_behind() -> None:
    graph = Graph(random_edges(10, 40), 10)
    expected = sample_neighbours(graph, torch.tensor([1, 2]), (2, 2), seed=0)
    with pytest.raises(ValueError, match="a seed is repeated"):
        sample_neighbours(graph, torch.tensor([3, 3]), (2,), seed=0)
    found = sample_neighbours(graph, torch.tensor([1, 2]), (2, 2), seed=0)
    assert torch.equal(found[1], expected[1])
    assert torch.equal(found[0].origin, expected[0].origin)


HUB = symmetric(torch.stack([torch.zeros(400, dtype=torch.long), torch.arange(1, 401)]))
EGO_GRAPHS = {**AWKWARD, "a hub, every edge twice": (HUB.repeat(1, 2), 401)}


def rows_of(graph: Graph) -> list[tuple[int, int, int]]:
    """(source, target, origin) of each edge."""
    assert graph.origin is not None
    return sorted(zip(*graph.edge_index.tolist(), graph.origin.tolist(), strict=True))


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("fanouts", [(), (2,), (2, 2), (1, -1), (3, 1, 2)])
@pytest.mark.parametrize("name", EGO_GRAPHS)
def test_egos_are_the_disjoint_union_of_induced_subgraphs(name: str, fanouts: tuple[int, ...], replace: bool) -> None:
    edge_index, n = EGO_GRAPHS[name]
    graph, seeds = Graph(edge_index, n), torch.arange(n).flip(0)[:9]
    union, nodes = sample_egos(graph, seeds, fanouts, replace=replace, seed=3)
    assert_edges_of(union, nodes, graph)
    base, expected_nodes, expected_rows = len(seeds), seeds.tolist(), []
    for i, root in enumerate(seeds):
        ego, own = sample_egos(graph, root.view(1), fanouts, replace=replace, seed=3)
        induced = induced_subgraph(graph, own)
        for part in ("indptr", "indices", "origin"):
            assert torch.equal(getattr(ego, part), getattr(induced, part))
        assert set(own.tolist()) <= set().union(*reached(graph, root.view(1), len(fanouts)))
        place = [i, *range(base, base + len(own) - 1)]
        expected_rows += [(place[u], place[v], e) for u, v, e in rows_of(ego)]
        expected_nodes += own[1:].tolist()
        base += len(own) - 1
    assert nodes.tolist() == expected_nodes
    assert rows_of(union) == sorted(expected_rows)


def test_egos_with_all_neighbours_are_the_whole_neighbourhoods() -> None:
    graph = Graph(random_edges(60, 150, seed=7), 60)
    for root in (5, 41):
        _, nodes = sample_egos(graph, torch.tensor([root]), (-1, -1), seed=0)
        assert set(nodes.tolist()) == set().union(*reached(graph, torch.tensor([root]), 2))


def test_egos_draw_so_many_and_each_for_itself() -> None:
    """From the middle of a star of stars: 3 arms of 50, then 2 ends of each arm's 20."""
    arms = torch.stack([torch.arange(1, 51), torch.zeros(50, dtype=torch.long)])
    ends = torch.stack([torch.arange(51, 1051), torch.arange(1, 51).repeat_interleave(20)])
    graph = Graph(torch.cat([arms, ends], dim=1), 1051)
    _, nodes = sample_egos(graph, torch.tensor([0]), (3, 2), seed=1)
    assert len(nodes) == 1 + 3 + 3 * 2
    assert nodes[1:4].max() <= 50 < nodes[4:].min()
    _, others = sample_egos(graph, torch.tensor([0]), (3, 2), seed=2)
    assert set(nodes.tolist()) != set(others.tolist())
    _, twice = sample_egos(graph, torch.tensor([0, 0]), (3, 2), seed=1)
    assert twice[2:11].tolist() == twice[11:].tolist() == nodes[1:].tolist()


def test_no_seeds() -> None:
    for sample in (sample_neighbours, sample_egos):
        for n in (0, 4):
            graph, nodes = sample(Graph(torch.zeros(2, 0, dtype=torch.long), n), torch.arange(0), (2, 2), seed=0)
            assert (graph.num_nodes, graph.num_edges, len(nodes)) == (0, 0, 0)


@pytest.mark.parametrize("sample", [sample_neighbours, sample_egos])
def test_seeds_that_are_no_nodes(sample) -> None:
    graph = Graph(random_edges(5, 9), 5)
    with pytest.raises(ValueError, match=r"ids must lie in 0\.\.4, got 2\.\.7"):
        sample(graph, torch.tensor([2, 7]), (2,), seed=0)
