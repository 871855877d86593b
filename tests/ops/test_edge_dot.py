import pytest
import torch
from torch import Tensor

from agdn import Graph
from agdn.ops import backend
from agdn.ops.edge_dot import edge_dot, leaky_scores
from graphs import random_edges

N, E, H, D = 9, 40, 3, 4


@pytest.fixture(params=["kernels", "torch"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "torch":
        monkeypatch.setenv("AGDN_KERNELS", "torch")
        assert not backend.kernels_run_on(torch.empty(0))
    return request.param


def rows(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def dense_dot(query: Tensor, key: Tensor, graph: Graph) -> Tensor:
    return torch.einsum("ihc,jhc->ijh", query, key)[graph.targets.long(), graph.indices.long()]


def dense_leaky(source: Tensor, target: Tensor, vector: Tensor, graph: Graph) -> Tensor:
    both = target[:, None] + source[None]
    both = torch.where(both > 0, both, 0.2 * both)
    return (both * vector).sum(-1)[graph.targets.long(), graph.indices.long()]


def test_inner_products_of_the_ends(path: str) -> None:
    graph, query, key = Graph(random_edges(N, E), N), rows(N, H, D), rows(N, H, D)
    torch.testing.assert_close(edge_dot(query, key, graph), dense_dot(query, key, graph))
    assert torch.autograd.gradcheck(lambda q, k: edge_dot(q, k, graph), (query, key))


def test_leaky_scores_of_the_ends(path: str) -> None:
    graph, source, target, vector = Graph(random_edges(N, E), N), rows(N, H, D), rows(N, H, D), rows(H, D)
    torch.testing.assert_close(
        leaky_scores(source, target, vector, graph, 0.2), dense_leaky(source, target, vector, graph)
    )
    assert torch.autograd.gradcheck(lambda s, t, v: leaky_scores(s, t, v, graph, 0.2), (source, target, vector))


def test_a_query_that_is_fixed_costs_no_hop() -> None:
    graph, key = Graph(random_edges(N, E), N), rows(N, H, D)
    query = torch.randn(N, H, D, dtype=torch.float64)
    edge_dot(query, key, graph).sum().backward()
    expected = torch.zeros_like(query).index_add(0, graph.indices.long(), query[graph.targets.long()])
    torch.testing.assert_close(key.grad, expected)


def test_edges_that_were_dropped_have_no_score() -> None:
    graph, query, key = Graph(random_edges(N, E), N), rows(N, H, D), rows(N, H, D)
    kept = graph.keep(torch.arange(E) % 3 > 0)
    torch.testing.assert_close(edge_dot(query, key, kept), dense_dot(query, key, kept))
    assert torch.autograd.gradcheck(lambda q, k: edge_dot(q, k, kept), (query, key))


def test_no_edges() -> None:
    graph = Graph(torch.empty(2, 0, dtype=torch.long), N)
    assert edge_dot(rows(N, H, D), rows(N, H, D), graph).shape == (0, H)
    assert leaky_scores(rows(N, H, D), rows(N, H, D), rows(H, D), graph, 0.2).shape == (0, H)
