import numba
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from agdn import Graph
from agdn.ops import induced_subgraph
from agdn.ops.kernels import jit
from agdn.ops.subgraphs import different_nodes, grouped
from graphs import AWKWARD, random_edges


def assert_same(found: Graph, expected: Graph) -> None:
    """The same edges in the same rows and order, from the same edges of the parent."""
    assert (found.num_nodes, found.num_edges) == (expected.num_nodes, expected.num_edges)
    assert torch.equal(found.indptr, expected.indptr)
    assert torch.equal(found.indices, expected.indices)
    assert (found.indices.dtype, found.order.dtype) == (expected.indices.dtype, expected.order.dtype)
    assert found.origin is not None
    assert expected.origin is not None
    assert torch.equal(found.origin[found.order].long(), expected.origin[expected.order])


def as_int64(graph: Graph) -> Graph:
    parts = (graph.indptr, graph.indices.long(), graph.order.long())
    return Graph.from_parts(*parts, size=(graph.num_nodes, graph.num_nodes))


@settings(deadline=None)  # kernels are compiled at their first call
@given(st.data())
def test_as_graph_subgraph_in_any_order_of_nodes(data) -> None:
    n = data.draw(st.integers(1, 12))
    ends = st.integers(0, n - 1)
    edges = data.draw(st.lists(st.tuples(ends, ends), max_size=80))
    nodes = torch.tensor(data.draw(st.lists(ends, unique=True)), dtype=torch.long)
    graph = Graph(torch.tensor(edges, dtype=torch.long).view(-1, 2).t(), n)
    assert_same(induced_subgraph(graph, nodes), graph.subgraph(nodes))
    assert_same(induced_subgraph(graph, nodes.sort().values), graph.subgraph(nodes.sort().values))


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_graphs(name: str) -> None:
    edge_index, n = AWKWARD[name]
    graph = Graph(edge_index, n)
    for nodes in (torch.arange(n), torch.arange(n).flip(0), torch.arange(0, n, 2), torch.arange(0)):
        assert_same(induced_subgraph(graph, nodes), graph.subgraph(nodes))


def test_the_empty_graph() -> None:
    found = induced_subgraph(Graph(torch.zeros(2, 0, dtype=torch.long), 0), torch.arange(0))
    assert (found.num_nodes, found.num_edges) == (0, 0)


def test_long_rows_of_repeated_edges_keep_their_order() -> None:
    graph = Graph(random_edges(40, 6000), 40)
    nodes = torch.randperm(40)
    assert_same(induced_subgraph(graph, nodes), graph.subgraph(nodes))


def test_long_ids() -> None:
    graph, nodes = Graph(random_edges(30, 200), 30), torch.randperm(30)[:17]
    found = induced_subgraph(as_int64(graph), nodes)
    assert found.indices.dtype == torch.int32  # they fit now
    assert_same(found, graph.subgraph(nodes))


def test_it_is_the_graph_that_its_edges_would_make() -> None:
    found = induced_subgraph(Graph(random_edges(20, 150), 20), torch.randperm(20)[:12])
    again = Graph(found.edge_index, found.num_nodes)
    for name in ("indptr", "indices", "order", "targets", "in_degree", "out_degree"):
        assert torch.equal(getattr(found, name), getattr(again, name))
    for a, b in zip(found.transposed, again.transposed, strict=True):
        assert torch.equal(a, b)


def test_edge_attributes_come_along_also_where_edges_were_dropped() -> None:
    edge_index = random_edges(15, 90)
    graph, attribute = Graph(edge_index, 15), torch.rand(90)
    kept = graph.keep(torch.rand(90) < 0.5)
    nodes = torch.randperm(15)[:9]
    found = induced_subgraph(kept, nodes)
    source, target = edge_index[:, found.origin.long()]
    assert torch.equal(nodes[found.edge_index], torch.stack([source, target]))
    assert torch.equal(found.carry(attribute), attribute[found.origin])
    assert set(found.origin.tolist()) <= set(kept.order.tolist())


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two cores")
def test_the_number_of_threads_does_not_change_a_bit(monkeypatch) -> None:
    monkeypatch.setattr(jit, "PARALLEL_FROM", 0)
    graph, nodes = Graph(random_edges(300, 4000), 300), torch.randperm(300)[:200]
    for threads in (1, 2):
        torch.set_num_threads(threads)
        assert_same(induced_subgraph(graph, nodes), graph.subgraph(nodes))
    torch.set_num_threads(1)


def test_a_failure_leaves_nothing_behind() -> None:
    graph = Graph(random_edges(10, 40), 10)
    with pytest.raises(ValueError, match="a node id is repeated"):
        induced_subgraph(graph, torch.tensor([3, 4, 3]))
    nodes = torch.tensor([1, 2])
    assert_same(induced_subgraph(graph, nodes), graph.subgraph(nodes))


@pytest.mark.parametrize(
    ("nodes", "sentence"),
    [
        (torch.tensor([0, 5]), r"ids must lie in 0\.\.4, got 0\.\.5"),
        (torch.tensor([-1, 2]), r"got -1\.\.2"),
        (torch.tensor([0.0]), "one row of ids, got torch.float32"),
        (torch.tensor([[0]]), r"of shape \(1, 1\)"),
        (torch.ones(5, dtype=torch.bool), "got torch.bool"),
    ],
)
def test_what_a_caller_gets_wrong(nodes: Tensor, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        induced_subgraph(Graph(random_edges(5, 9), 5), nodes)


def test_without_kernels_it_says_so(monkeypatch) -> None:
    monkeypatch.setenv("AGDN_KERNELS", "torch")
    with pytest.raises(ValueError, match="induced subgraphs run on the compiled kernels only"):
        induced_subgraph(Graph(random_edges(5, 9), 5), torch.arange(3))


@settings(deadline=None)  # kernels are compiled at their first call
@given(st.lists(st.integers(0, 200)))
def test_different_nodes(nodes: list[int]) -> None:
    for dtype in (torch.int32, torch.int64):
        found = different_nodes(torch.tensor(nodes, dtype=dtype), 201)
        assert found.tolist() == sorted(set(nodes))
        assert found.dtype == dtype


def test_groups() -> None:
    indptr, positions = grouped(torch.tensor([2, 0, 2, 2, 0], dtype=torch.int32), 4, torch.int32)
    assert indptr.tolist() == [0, 2, 2, 5, 5]
    assert positions.tolist() == [1, 4, 0, 2, 3]
