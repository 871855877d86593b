from pathlib import Path

import numba
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from agdn import Graph
from agdn.data.dataset import EdgeSplit
from agdn.data.names import load_dataset
from agdn.ops.heuristics import adamic_adar, common_neighbours, katz, personalised_pagerank, resource_allocation
from agdn.ops.kernels import jit
from graphs import AWKWARD, random_edges, symmetric

EVERY = [common_neighbours, adamic_adar, resource_allocation, katz, personalised_pagerank]
HALF_FLOAT = 2.0**-24  # half of a float32's last bit


def adjacency(graph: Graph) -> np.ndarray:
    dense = np.zeros((graph.num_nodes, graph.num_nodes))
    np.add.at(dense, tuple(graph.edge_index.numpy()), 1)
    return dense


def dense_overlaps(graph: Graph) -> dict[str, np.ndarray]:
    """The first three scores of all pairs of nodes."""
    a = adjacency(graph)
    degree = a.sum(1)
    logarithm = np.log(np.maximum(degree, 1))
    by_log = np.divide(1, logarithm, out=np.zeros_like(logarithm), where=logarithm > 0)
    by_degree = np.divide(1, degree, out=np.zeros_like(degree), where=degree > 0)
    return {
        "common_neighbours": a @ a,
        "adamic_adar": a @ np.diag(by_log) @ a,
        "resource_allocation": a @ np.diag(by_degree) @ a,
    }


def dense_pagerank(graph: Graph, alpha: float) -> np.ndarray:
    """Row u is pi_u."""
    a = adjacency(graph)
    stuck = a.sum(1) == 0
    step = (a + np.diag(stuck)) / np.where(stuck, 1, a.sum(1))[:, None]
    return alpha * np.linalg.inv(np.eye(len(a)) - (1 - alpha) * step)


def all_pairs(num_nodes: int) -> Tensor:
    return torch.cartesian_prod(torch.arange(num_nodes), torch.arange(num_nodes)).t()


def assert_equal_to(scores: Tensor, expected: np.ndarray) -> None:
    assert scores.dtype == torch.float32
    np.testing.assert_allclose(scores.double().numpy(), expected.reshape(-1), rtol=1e-6, atol=1e-12)


@st.composite
def some_graphs(draw: st.DrawFn) -> Graph:
    n = draw(st.integers(1, 12))
    ends = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(ends, ends), max_size=60))
    edge_index = torch.tensor(edges, dtype=torch.long).view(-1, 2).t()
    return Graph(symmetric(edge_index) if draw(st.booleans()) else edge_index, n)


AWKWARD_GRAPHS = [pytest.param(Graph(*AWKWARD[name]), id=name) for name in AWKWARD]


@settings(deadline=None)  # kernels are compiled at their first call
@given(some_graphs())
def test_shared_neighbours_as_the_dense_formula(graph: Graph) -> None:
    pairs = all_pairs(graph.num_nodes)
    for name, expected in dense_overlaps(graph).items():
        score = {f.__name__: f for f in EVERY}[name]
        assert_equal_to(score(graph, pairs), expected)


@settings(deadline=None)
@given(some_graphs(), st.integers(1, 5), st.floats(0.001, 0.5))
def test_katz_as_matrix_powers(graph: Graph, length: int, beta: float) -> None:
    a = adjacency(graph)
    expected = sum(beta**n * np.linalg.matrix_power(a, n) for n in range(1, length + 1))
    assert_equal_to(katz(graph, all_pairs(graph.num_nodes), beta, length), np.asarray(expected))


@settings(deadline=None)
@given(some_graphs(), st.floats(0.05, 0.95), st.sampled_from([0.5, 1e-2, 1e-4, 1e-9]))
def test_pagerank_is_within_its_bound_of_the_linear_system(graph: Graph, alpha: float, eps: float) -> None:
    exact, degree = dense_pagerank(graph, alpha), np.maximum(adjacency(graph).sum(1), 1)
    bound = eps * (degree @ exact)
    missing = (exact + exact.T).reshape(-1) - personalised_pagerank(
        graph, all_pairs(graph.num_nodes), alpha, eps
    ).double().numpy()
    assert (missing >= -4 * HALF_FLOAT).all()
    assert (missing <= (bound[:, None] + bound[None, :]).reshape(-1) + 4 * HALF_FLOAT).all()


@pytest.mark.parametrize("graph", AWKWARD_GRAPHS)
def test_awkward_graphs(graph: Graph) -> None:
    pairs, a = all_pairs(graph.num_nodes), adjacency(graph)
    for name, expected in dense_overlaps(graph).items():
        assert_equal_to({f.__name__: f for f in EVERY}[name](graph, pairs), expected)
    assert_equal_to(katz(graph, pairs, 0.1, 3), 0.1 * a + 0.01 * a @ a + 0.001 * a @ a @ a)
    exact = dense_pagerank(graph, 0.3)
    np.testing.assert_allclose(
        personalised_pagerank(graph, pairs, 0.3, 1e-12), (exact + exact.T).reshape(-1), rtol=1e-6, atol=1e-9
    )


def test_the_overlap_of_two_triangles() -> None:
    """1 and 2 share 0 and 3; 0 has two neighbours, 3 has three, one of them a tail."""
    graph = Graph(symmetric(torch.tensor([[0, 0, 1, 1, 2, 3], [1, 2, 2, 3, 3, 4]])), 5)
    pair = torch.tensor([[1], [2]])
    assert common_neighbours(graph, pair).tolist() == [2.0]
    assert adamic_adar(graph, pair).item() == pytest.approx(1 / np.log(2) + 1 / np.log(3))
    assert resource_allocation(graph, pair).item() == pytest.approx(1 / 2 + 1 / 3)
    lonely = torch.tensor([[4], [4]])  # it meets itself in 3; itself has one neighbour, which would count nothing
    assert adamic_adar(graph, lonely).item() == pytest.approx(1 / np.log(3))


def test_a_neighbour_of_degree_one_counts_nothing_for_adamic_adar() -> None:
    path = Graph(torch.tensor([[0, 1], [1, 2]]), 3)
    pair = torch.tensor([[0], [2]])
    assert (common_neighbours(path, pair).item(), adamic_adar(path, pair).item()) == (1, 0)
    assert common_neighbours(path, pair.flip(0)).item() == 0  # directed: nothing leads back


def big_graph() -> tuple[Graph, Tensor]:
    """Skewed degrees, repeated edges and isolated nodes."""
    ends = (random_edges(300, 4000).double() ** 2 / 300).long()
    return Graph(torch.cat([ends, ends.flip(0)], dim=1), 310), random_edges(310, 3000, seed=1)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two cores")
@pytest.mark.parametrize("score", EVERY)
def test_the_number_of_threads_does_not_change_a_bit(monkeypatch, score) -> None:
    graph, pairs = big_graph()
    monkeypatch.setattr(jit, "PARALLEL_FROM", 0)
    results = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        results.append(score(graph, pairs))
    torch.set_num_threads(1)
    monkeypatch.setattr(jit, "PARALLEL_FROM", 1 << 62)
    for other in (results[1], score(graph, pairs)):
        assert torch.equal(results[0], other)


@pytest.mark.parametrize("score", EVERY)
def test_a_pair_has_its_score_in_any_company(score) -> None:
    graph, pairs = big_graph()
    scores, shuffle = score(graph, pairs), torch.randperm(pairs.size(1))
    assert torch.equal(score(graph, pairs[:, shuffle]), scores[shuffle])
    assert torch.equal(score(graph, pairs[:, 17:40]), scores[17:40])
    assert torch.equal(score(graph, pairs[:, 5:6].expand(2, 9)), scores[5:6].expand(9))


@pytest.mark.parametrize("score", EVERY)
def test_both_directions_of_a_pair_are_alike_where_those_of_edges_are(score) -> None:
    graph, pairs = big_graph()
    forward, backward = score(graph, pairs), score(graph, pairs.flip(0))
    if score is katz:  # its walks are summed from one end
        torch.testing.assert_close(forward, backward, rtol=1e-6, atol=0)
    else:
        assert torch.equal(forward, backward)


@pytest.mark.parametrize("score", EVERY)
def test_renamed_nodes_have_the_same_scores(score) -> None:
    graph, pairs = big_graph()
    names = torch.randperm(graph.num_nodes)
    renamed = score(Graph(names[graph.edge_index], graph.num_nodes), names[pairs])
    apart = 2e-6 * int(graph.in_degree.max()) if score is personalised_pagerank else 0.0  # pushed in another order
    torch.testing.assert_close(renamed, score(graph, pairs), rtol=1e-6, atol=apart)


@pytest.mark.parametrize("score", EVERY)
def test_dropped_edges_are_gone(score) -> None:
    graph, pairs = big_graph()
    mask = torch.rand(graph.num_edges) < 0.5
    kept = torch.stack([graph.indices.long(), graph.targets.long()])[:, mask]
    assert torch.equal(score(graph.keep(mask), pairs), score(Graph(kept, graph.num_nodes), pairs))


@pytest.mark.parametrize("score", EVERY)
def test_long_ids(score) -> None:
    graph, pairs = big_graph()
    size = (graph.num_nodes, graph.num_nodes)
    long = Graph.from_parts(graph.indptr, graph.indices.long(), graph.order.long(), size=size)
    assert torch.equal(score(long, pairs), score(graph, pairs.int()))


@pytest.mark.parametrize("score", EVERY)
def test_no_pairs(score) -> None:
    for n in (0, 3):
        scores = score(Graph(torch.zeros(2, 0, dtype=torch.long), n), torch.zeros(2, 0, dtype=torch.long))
        assert (scores.shape, scores.dtype) == ((0,), torch.float32)


def test_weights_too_small_for_a_float() -> None:
    graph, pairs = big_graph()
    expected = 1e-30 * torch.from_numpy(adjacency(graph))[tuple(pairs)]
    torch.testing.assert_close(katz(graph, pairs, 1e-30, 40).double(), expected, rtol=1e-6, atol=0)


@pytest.mark.parametrize("score", EVERY)
def test_what_a_caller_gets_wrong(score) -> None:
    graph = Graph(random_edges(5, 9), 5)
    with pytest.raises(ValueError, match=r"pairs name nodes 0\.\.5, but there are 5 nodes"):
        score(graph, torch.tensor([[0], [5]]))
    with pytest.raises(ValueError, match=r"pairs name nodes -1\.\.2"):
        score(graph, torch.tensor([[-1], [2]]))
    with pytest.raises(ValueError, match=r"shape \(2, P\), got \(3,\)"):
        score(graph, torch.tensor([0, 1, 2]))
    with pytest.raises(ValueError, match=r"node ids, got torch\.float32"):
        score(graph, torch.rand(2, 3))
    with pytest.raises(ValueError, match="bipartite"):
        score(Graph(torch.tensor([[0], [1]]), size=(1, 2)), torch.tensor([[0], [0]]))


@pytest.mark.parametrize(
    ("score", "options", "sentence"),
    [
        (katz, {"beta": 0.0}, "beta must be a number above 0, got 0.0"),
        (katz, {"beta": float("nan")}, "beta must be a number above 0, got nan"),
        (katz, {"length": 0}, "length must be at least 1, got 0"),
        (personalised_pagerank, {"alpha": 1.0}, "alpha must lie between 0 and 1, got 1.0"),
        (personalised_pagerank, {"eps": 0.0}, "eps must lie between 0 and 1, got 0.0"),
    ],
)
def test_options_are_checked(score, options: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        score(Graph(random_edges(5, 9), 5), torch.tensor([[0], [1]]), **options)


def test_without_kernels_it_says_so(monkeypatch) -> None:
    monkeypatch.setenv("AGDN_KERNELS", "torch")
    with pytest.raises(ValueError, match="heuristics run on the compiled kernels only"):
        common_neighbours(Graph(random_edges(5, 9), 5), torch.tensor([[0], [1]]))


@pytest.mark.parametrize(
    ("score", "published"),
    [(common_neighbours, (9.47, 17.73)), (adamic_adar, (9.66, 18.61)), (resource_allocation, (7.25, 6.23))],
)
def test_published_hits_on_ogbl_ddi(score, published: tuple[float, float], real_data: Path) -> None:
    dataset = load_dataset("ogbl-ddi", real_data)
    split = dataset.split
    assert isinstance(split, EdgeSplit)
    found = []
    for positive, negative in ((split.valid, split.valid_negative), (split.test, split.test_negative)):
        bar = score(dataset.graph, negative).topk(20).values[-1]
        found.append(round(100 * float((score(dataset.graph, positive) > bar).double().mean()), 2))
    assert tuple(found) == published
