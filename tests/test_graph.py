import copy

import numpy as np
import pytest
import scipy.sparse
import torch
from hypothesis import given
from hypothesis import strategies as st

from agdn import Graph
from graphs import AWKWARD, random_edges


@pytest.mark.parametrize("name", AWKWARD)
def test_edge_index_round_trip_keeps_the_callers_order(name: str) -> None:
    edge_index, num_nodes = AWKWARD[name]
    assert torch.equal(Graph(edge_index, num_nodes).edge_index, edge_index)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=60))
def test_both_orders_hold_the_same_edges(edges: list[tuple[int, int]]) -> None:
    edge_index = torch.tensor(edges, dtype=torch.long).view(-1, 2).t()
    graph = Graph(edge_index, 10)
    source, target = edge_index[:, graph.order.long()]
    assert torch.equal(source.int(), graph.indices)
    assert torch.equal(target.int(), graph.targets)
    assert bool((target.diff() >= 0).all())
    by_source = graph.transposed
    assert torch.equal(by_source.indices, graph.targets[by_source.order])
    assert bool((graph.indices[by_source.order].diff() >= 0).all())
    assert torch.equal(by_source.indptr.diff(), torch.bincount(edge_index[0], minlength=10))
    assert torch.equal(graph.in_degree, torch.bincount(edge_index[1], minlength=10))
    assert torch.equal(graph.out_degree, by_source.indptr.diff())


def test_the_order_of_the_callers_edges_does_not_matter_inside() -> None:
    edge_index = random_edges(20, 100)
    a, b = Graph(edge_index, 20), Graph(edge_index[:, torch.randperm(100)], 20)
    assert torch.equal(a.indices, b.indices)
    assert torch.equal(a.indptr, b.indptr)


def test_columns_are_int32_where_they_fit() -> None:
    graph = Graph(random_edges(5, 9), 5)
    assert graph.indices.dtype == graph.order.dtype == graph.transposed.indices.dtype == torch.int32
    assert graph.indptr.dtype == torch.int64


def test_undirected_keeps_or_merges_repeated_edges() -> None:
    edge_index = torch.tensor([[0, 1, 0, 2], [1, 0, 1, 2]])
    graph = Graph(edge_index, 3)
    kept = graph.undirected(coalesce=False)
    assert kept.num_edges == 7  # three pairs both ways, the self-loop once
    assert kept.origin is not None
    assert kept.origin.tolist() == [0, 1, 2, 3, 0, 1, 2]
    merged = graph.undirected()
    assert sorted(merged.edge_index.t().tolist()) == [[0, 1], [1, 0], [2, 2]]
    matrix = scipy.sparse.coo_array((np.ones(3), merged.edge_index.numpy()), (3, 3)).toarray()
    assert (matrix == matrix.T).all()


def test_ogbn_arxiv_edge_counts(real_data) -> None:
    raw = np.loadtxt(real_data / "ogbn_arxiv/raw/edge.csv.gz", delimiter=",", dtype=np.int64)
    graph = Graph(torch.from_numpy(raw.T.copy()), 169_343)
    assert graph.num_edges == 1_166_243
    assert graph.undirected(coalesce=False).with_self_loops().num_edges == 2_501_829
    assert graph.undirected().with_self_loops().num_edges == 2_484_941


def test_self_loops() -> None:
    graph = Graph(torch.tensor([[0, 1, 1, 2], [0, 1, 1, 0]]), 4)
    assert graph.without_self_loops().edge_index.tolist() == [[2], [0]]
    with_loops = graph.with_self_loops()
    assert with_loops.edge_index.tolist() == [[2, 0, 1, 2, 3], [0, 0, 1, 2, 3]]
    assert with_loops.carry(torch.tensor([1.0, 2.0, 3.0, 4.0]), fill=9).tolist() == [4, 9, 9, 9, 9]


def test_coalesced_names_the_first_of_each() -> None:
    graph = Graph(torch.tensor([[0, 1, 0, 1], [1, 0, 1, 0]]), 2).coalesced()
    assert graph.edge_index.tolist() == [[0, 1], [1, 0]]
    assert graph.origin is not None
    assert graph.origin.tolist() == [0, 1]


def test_subgraph_matches_pyg() -> None:
    from torch_geometric.utils import subgraph

    edge_index, nodes = random_edges(30, 200), torch.randperm(30)[:11].sort().values
    expected, _, kept = subgraph(nodes, edge_index, relabel_nodes=True, num_nodes=30, return_edge_mask=True)
    graph = Graph(edge_index, 30).subgraph(nodes)
    assert torch.equal(graph.edge_index, expected)
    assert graph.origin is not None
    assert torch.equal(graph.origin, kept.nonzero().squeeze(1))
    mask = torch.zeros(30, dtype=torch.bool).index_fill(0, nodes, True)
    assert torch.equal(Graph(edge_index, 30).subgraph(mask).edge_index, expected)


def test_keep_points_into_the_full_edge_list() -> None:
    graph = Graph(random_edges(6, 40), 6)
    mask = torch.rand(40) < 0.5
    kept = graph.keep(mask)
    assert torch.equal(kept.order, graph.order[mask])
    assert torch.equal(kept.targets, graph.targets[mask])
    assert torch.equal(kept.transposed.indices, kept.targets[kept.transposed.order])
    assert kept.full is graph
    with pytest.raises(ValueError, match="keeps a part"):
        _ = kept.edge_index


def test_bipartite() -> None:
    graph = Graph(torch.tensor([[0, 4, 2], [1, 0, 1]]), size=(5, 2))
    assert (graph.num_src, graph.num_dst) == (5, 2)
    assert repr(graph) == "Graph(size=(5, 2), num_edges=3)"
    with pytest.raises(ValueError, match="bipartite"):
        graph.undirected()
    with pytest.raises(ValueError, match="bipartite"):
        _ = graph.num_nodes


def test_from_scipy_and_pyg() -> None:
    from torch_geometric.data import Data

    matrix = scipy.sparse.csr_array(([5.0, 6.0], ([0, 2], [1, 0])), (3, 3))
    assert Graph.of(matrix).edge_index.tolist() == [[0, 2], [1, 0]]
    assert Graph.from_scipy(matrix[:, :2]).num_dst == 2
    edge_index = random_edges(4, 6)
    assert Graph.of(Data(edge_index=edge_index, num_nodes=9)).num_nodes == 9
    assert Graph.of(edge_index).num_nodes == int(edge_index.max()) + 1
    with pytest.raises(ValueError, match="no edge_index"):
        Graph.from_data(Data(num_nodes=3))
    with pytest.raises(ValueError, match="got list"):
        Graph.of([[0], [1]])


@pytest.mark.parametrize(
    ("edge_index", "num_nodes", "message"),
    [
        (torch.tensor([[0, 3], [1, 1]]), 3, "edge 1 has source 3, but there are only 3 nodes"),
        (torch.tensor([[0, 1], [1, 7]]), 3, "edge 1 has target 7"),
        (torch.tensor([[0, -1], [1, 1]]), 3, "edge 1 is .* must not be negative"),
        (torch.zeros(3, 4, dtype=torch.long), 3, r"shape \(2, E\)"),
        (torch.zeros(4, dtype=torch.long), 3, r"shape \(2, E\)"),
        (torch.zeros(2, 4), 3, "must hold integers"),
        (torch.zeros(2, 4, dtype=torch.bool), 3, "must hold integers"),
        (np.zeros((2, 4), dtype=int), 3, "got ndarray"),
    ],
)
def test_bad_edges_are_named(edge_index, num_nodes: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Graph(edge_index, num_nodes)


def test_bad_sizes_and_nodes_are_named() -> None:
    edge_index = torch.tensor([[0], [1]])
    with pytest.raises(ValueError, match="not both"):
        Graph(edge_index, 2, size=(2, 2))
    with pytest.raises(ValueError, match="repeated"):
        Graph(edge_index, 2).subgraph(torch.tensor([0, 0]))
    with pytest.raises(ValueError, match=r"0\.\.1, got 0\.\.5"):
        Graph(edge_index, 2).subgraph(torch.tensor([0, 5]))


def test_immutable_and_copyable() -> None:
    graph = Graph(random_edges(5, 9), 5)
    with pytest.raises(AttributeError, match="immutable"):
        graph.indices = graph.indices
    assert torch.equal(copy.deepcopy(graph).edge_index, graph.edge_index)
    assert graph.to("cpu") is graph
    moved = graph.to("meta")
    assert moved.device.type == "meta"
    assert moved.num_nodes == 5


def test_int32_and_uint8_edges_are_accepted() -> None:
    for dtype in (torch.int32, torch.uint8, torch.int16):
        assert Graph(torch.tensor([[0, 1], [1, 0]], dtype=dtype)).num_nodes == 2
