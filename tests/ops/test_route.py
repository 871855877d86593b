import gc
import itertools

import numpy as np
import pytest
import torch

from agdn import AGDNConv, Graph
from agdn.ops import propagate, route
from agdn.ops.kernels import communities
from agdn.ops.kernels.communities import by_community
from agdn.ops.kernels.jit import along
from graphs import random_edges

LARGE = torch.empty(1, dtype=torch.int8).expand(1 << 20, 1 << 20)


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(route, "WORTHWHILE_EDGES", 0)
    monkeypatch.setattr(route, "CACHE_BYTES", 0)
    monkeypatch.setattr(route, "WIDE_ROW_BYTES", 0)


def test_communities_are_visited_one_by_one() -> None:
    """Two cliques whose members have even and odd ids."""
    ids = torch.arange(20)
    edges = torch.cartesian_prod(ids, ids)
    edges = edges[(edges[:, 0] % 2 == edges[:, 1] % 2) & (edges[:, 0] != edges[:, 1])]
    graph = Graph(edges.t(), 20)
    order = by_community(graph.indptr.numpy(), graph.indices.numpy())
    assert sorted(order) == list(range(20))
    assert len(set(order[:10] % 2)) == 1


def test_no_community_outgrows_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    label, size = np.arange(500), np.ones(500, np.int64)
    graph = Graph(random_edges(500, 20_000), 500)
    communities.join(graph.indptr.numpy(), graph.indices.numpy(), label, size, np.zeros(500, np.int64))
    assert np.array_equal(np.bincount(label, minlength=500), size)
    assert size.max() <= communities.LARGEST


def test_chunks_share_the_work_along_a_route() -> None:
    graph = Graph(random_edges(1000, 30_000), 1000)
    way = torch.randperm(1000)
    chunks, visited = along(way, graph.indptr)
    work = [int((graph.in_degree[way[a:b]] + 1).sum()) for a, b in itertools.pairwise(chunks)]
    assert sum(work) == 31_000
    assert max(work) <= 31_000 / 256 + int(graph.in_degree.max()) + 1
    assert np.array_equal(visited, way.numpy())


def test_small_or_bipartite_graphs_keep_the_natural_order() -> None:
    graph = Graph(random_edges(40, 300), 40)
    assert route.route(graph, LARGE) is None
    assert route.route(Graph(torch.zeros(2, 0, dtype=torch.long), size=(3, 4)), LARGE) is None


def test_narrow_rows_keep_the_natural_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(route, "WORTHWHILE_EDGES", 0)
    monkeypatch.setattr(route, "CACHE_BYTES", 0)
    graph = Graph(random_edges(40, 300), 40)
    assert route.route(graph, torch.empty(40, 1, 255)) is None
    assert route.route(graph, torch.empty(40, 1, 256)) is not None


def test_it_is_worked_out_once_a_graph_and_forgotten_with_it(always) -> None:
    graph = Graph(random_edges(40, 300), 40)
    known = len(route._routes)
    way = route.route(graph, torch.zeros(1))
    assert route.route(graph.keep(torch.rand(300) < 0.5), torch.zeros(1)) is way
    assert len(route._routes) == known + 1
    del graph
    gc.collect()
    assert len(route._routes) == known


@pytest.mark.parametrize("memory", ["store", "recompute"])
def test_the_route_changes_no_output(monkeypatch: pytest.MonkeyPatch, memory: str) -> None:
    graph, x = Graph(random_edges(60, 700), 60), torch.randn(60, 6)
    conv = AGDNConv(6, 8, 3, 2, hop_norm="layer", diffusion_dropout=0.3, memory=memory)

    def results() -> list[torch.Tensor]:
        torch.manual_seed(3)
        inputs = x.clone().requires_grad_()
        out = conv(inputs, graph)
        return [out, *torch.autograd.grad(out.square().sum(), [inputs, *conv.parameters()])]

    natural = results()
    monkeypatch.setattr(route, "WORTHWHILE_EDGES", 0)
    monkeypatch.setattr(route, "CACHE_BYTES", 0)
    monkeypatch.setattr(route, "WIDE_ROW_BYTES", 0)
    route._routes[graph] = torch.randperm(60, dtype=torch.int32)
    routed = results()
    assert torch.equal(natural[0], routed[0])
    assert torch.equal(natural[1], routed[1])
    for a, b in zip(natural[2:], routed[2:], strict=True):
        torch.testing.assert_close(a, b)  # sums over nodes, in another order


def test_propagate_follows_it_too(always) -> None:
    graph = Graph(random_edges(60, 700), 60)
    x, a = torch.randn(60, 2, 3, requires_grad=True), torch.rand(700, 2, requires_grad=True)
    dense = torch.zeros(2, 60, 60)
    dense.index_put_((torch.arange(2)[:, None], graph.targets.long(), graph.indices.long()), a.t(), accumulate=True)
    out = propagate(x, a, graph)
    expected = torch.einsum("hij,jhd->ihd", dense, x)
    torch.testing.assert_close(out, expected)
    probe = torch.randn_like(out)
    for ours, theirs in zip(
        torch.autograd.grad(out, (x, a), probe), torch.autograd.grad(expected, (x, a), probe), strict=True
    ):
        torch.testing.assert_close(ours, theirs)


def test_what_a_kernel_follows_is_found_once_for_a_route() -> None:
    indptr = torch.tensor([0, 3, 3, 4])
    backwards = torch.tensor([2, 1, 0], dtype=torch.int32)
    natural = along(None, indptr)
    assert natural[1].tolist() == [0, 1, 2]
    assert along(None, indptr)[0] is natural[0]
    assert along(backwards, indptr)[1].tolist() == [2, 1, 0]
    assert along(None, indptr)[1].tolist() == [0, 1, 2]
    assert along(None, torch.tensor([0, 1]))[1].tolist() == [0]
