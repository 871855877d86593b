import math

import numba
import pytest
import torch
from torch import Tensor

from agdn import Graph
from agdn.ops import random_walks
from agdn.ops.kernels import jit
from graphs import AWKWARD, random_edges, symmetric

# Two triangles that share the edge 1-2, and a tail 3-4.
KITE = symmetric(torch.tensor([[0, 0, 1, 1, 2, 3], [1, 2, 2, 3, 3, 4]]))


def adjacency(edge_index: Tensor, num_nodes: int, edge_weight: Tensor | None = None) -> Tensor:
    weight = torch.ones(edge_index.size(1)) if edge_weight is None else edge_weight
    return torch.zeros(num_nodes, num_nodes).index_put_(tuple(edge_index), weight.float(), accumulate=True)


def node2vec_chances(weights: Tensor, previous: int, here: int, p: float, q: float) -> Tensor:
    """The equation, node by node."""
    bias = torch.where(weights[previous] > 0, 1.0, 1 / q)
    bias[previous] = 1 / p
    chances = weights[here] * bias
    return chances / chances.sum()


def second_steps(walks: Tensor) -> dict[tuple[int, int], Tensor]:
    """How often each node followed on each (previous, here)."""
    trios = torch.stack([walks[:, :-2], walks[:, 1:-1], walks[:, 2:]], dim=-1).reshape(-1, 3).long()
    size = int(walks.max()) + 1
    counts = torch.bincount(trios[:, 0] * size**2 + trios[:, 1] * size + trios[:, 2], minlength=size**3)
    table = counts.view(size, size, size)
    return {(int(u), int(v)): table[u, v] for u, v in table.sum(-1).nonzero()}


def assert_drawn_from(counts: Tensor, chances: Tensor) -> None:
    """A chi-square statistic within six standard deviations of its mean, and nothing that cannot be."""
    possible = chances > 0
    assert not counts[~possible].any()
    expected, counts = chances[possible].double() * counts.sum(), counts[possible]
    common = expected >= 5
    assert (counts[~common] < 25).all()
    freedom = max(int(common.sum()) - 1, 1)
    statistic = float(((counts - expected) ** 2 / expected)[common].sum())
    assert statistic < freedom + 6 * math.sqrt(2 * freedom), (counts, expected)


@pytest.mark.parametrize(("p", "q"), [(1.0, 1.0), (0.5, 2.0)])
@pytest.mark.parametrize("name", AWKWARD)
def test_every_step_is_an_edge_or_a_dead_end(name: str, p: float, q: float) -> None:
    edge_index, n = AWKWARD[name]
    walks = random_walks(Graph(edge_index, n), torch.arange(n).repeat(5), 12, p=p, q=q, seed=3)
    assert walks.shape == (5 * n, 13)
    assert torch.equal(walks[:, 0].long(), torch.arange(n).repeat(5))
    linked = adjacency(edge_index, n) > 0
    here, there = walks[:, :-1].long(), walks[:, 1:].long()
    stuck = ~linked[here].any(-1)
    assert torch.where(stuck, here == there, linked[here, there]).all()


def test_uniform_steps() -> None:
    graph = Graph(KITE, 5)
    walks = random_walks(graph, torch.arange(5).repeat(2000), 10, seed=1)
    for (_, here), counts in second_steps(walks).items():
        chances = adjacency(KITE, 5)[here]
        assert_drawn_from(counts, chances / chances.sum())


@pytest.mark.parametrize(("p", "q"), [(0.25, 4.0), (4.0, 0.25), (1.0, 3.0), (0.02, 1.0), (1e5, 1e5)])
def test_second_order_steps_follow_the_equation(p: float, q: float) -> None:
    """Also where nearly every proposal is refused and the biases are summed."""
    walks = random_walks(Graph(KITE, 5), torch.arange(5).repeat(2000), 10, p=p, q=q, seed=2)
    found = second_steps(walks)
    assert len(found) >= 5
    for (previous, here), counts in found.items():
        assert_drawn_from(counts, node2vec_chances(adjacency(KITE, 5), previous, here, p, q))


@pytest.mark.parametrize(("p", "q"), [(1.0, 1.0), (0.3, 2.0), (0.02, 1.0)])
def test_weighted_steps(p: float, q: float) -> None:
    weight = torch.tensor([float(1 + (u * v) % 4) for u, v in KITE.T.tolist()])
    weight[(KITE[0] == 3) & (KITE[1] == 4)] = 0.0  # the tail is never entered
    walks = random_walks(Graph(KITE, 5), torch.arange(4).repeat(2000), 10, p=p, q=q, edge_weight=weight, seed=2)
    assert not (walks == 4).any()
    weights = adjacency(KITE, 5, weight)
    for (previous, here), counts in second_steps(walks).items():
        chances = node2vec_chances(adjacency(KITE, 5), previous, here, p, q) * weights[here] / adjacency(KITE, 5)[here]
        chances = chances.nan_to_num(0.0)[: len(counts)]
        assert_drawn_from(counts, chances / chances.sum())


def test_weights_are_in_the_callers_edge_order() -> None:
    edge_index, shuffle = random_edges(20, 80, seed=5), torch.randperm(80)
    weight = torch.rand(80, dtype=torch.float64)
    weight[::3] = 0
    starts = torch.arange(20)
    straight = random_walks(Graph(edge_index, 20), starts, 8, edge_weight=weight, seed=0)
    linked = adjacency(edge_index, 20, weight) > 0
    here, there = straight[:, :-1].long(), straight[:, 1:].long()
    assert (linked[here, there] | (here == there)).all()
    shuffled = random_walks(Graph(edge_index[:, shuffle], 20), starts, 8, edge_weight=weight[shuffle], seed=0)
    assert ((shuffled == straight).all(1)).float().mean() > 0.5  # sums of repeated edges may round another way


def test_a_seed_fixes_the_walks_and_walks_differ() -> None:
    graph, starts = Graph(KITE, 5), torch.zeros(100, dtype=torch.long)
    walks = random_walks(graph, starts, 20, seed=7)
    assert torch.equal(walks, random_walks(graph, starts, 20, seed=7))
    assert torch.equal(walks[:30], random_walks(graph, starts[:30], 20, seed=7))
    assert not torch.equal(walks, random_walks(graph, starts, 20, seed=8))
    assert len(torch.unique(walks, dim=0)) > 95


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two cores")
@pytest.mark.parametrize(("p", "q"), [(1.0, 1.0), (0.5, 2.0)])
def test_the_number_of_threads_does_not_change_a_bit(monkeypatch, p: float, q: float) -> None:
    monkeypatch.setattr(jit, "PARALLEL_FROM", 0)
    graph, results = Graph(symmetric(random_edges(300, 2000)), 300), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        results.append(random_walks(graph, torch.arange(300).repeat(5), 10, p=p, q=q, seed=1))
    torch.set_num_threads(1)
    assert torch.equal(*results)


def test_no_walks_and_no_steps() -> None:
    graph = Graph(KITE, 5)
    assert random_walks(graph, torch.empty(0, dtype=torch.long), 4, seed=0).shape == (0, 5)
    assert random_walks(graph, torch.tensor([2, 4]), 0, seed=0).tolist() == [[2], [4]]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"p": 0.0}, "p must be a number above 0, got 0.0"),
        ({"q": float("inf")}, "q must be a number above 0, got inf"),
        ({"length": -1}, "a walk cannot have -1 steps"),
        ({"seed": -3}, "seed must be a whole number from 0"),
        ({"starts": torch.tensor([5])}, "starts name nodes 5..5, but the graph has 5 nodes"),
        ({"starts": torch.tensor([-1, 3])}, "starts name nodes -1..3"),
        ({"starts": torch.tensor([1.0])}, "starts must be a .* tensor of node ids"),
        ({"starts": torch.tensor([[1]])}, r"got torch.int64 of shape \(1, 1\)"),
        ({"edge_weight": torch.ones(3)}, "one number for each of the 12 edges"),
        ({"edge_weight": -torch.ones(12)}, "edge_weight of edge 0 is -1.0"),
        ({"edge_weight": torch.full((12,), float("nan"))}, "edge_weight of edge 0 is nan"),
        ({"graph": Graph(torch.tensor([[0], [1]]), size=(1, 2))}, "bipartite"),
    ],
)
def test_what_a_caller_gets_wrong(changes: dict, sentence: str) -> None:
    arguments = {"graph": Graph(KITE, 5), "starts": torch.tensor([0]), "length": 3, "seed": 0, **changes}
    with pytest.raises(ValueError, match=sentence):
        random_walks(**arguments)


def test_without_kernels_there_are_no_walks(monkeypatch) -> None:
    monkeypatch.setenv("AGDN_KERNELS", "torch")
    with pytest.raises(ValueError, match="random walks run on the compiled kernels only"):
        random_walks(Graph(KITE, 5), torch.tensor([0]), 3, seed=0)
