import numpy as np
import pytest
import scipy.sparse
import torch
from torch_geometric.data import Data

from agdn import Graph
from agdn.estimators.structure import given_structure, nearest_rows, neighbour_structure

EDGES = np.array([[0, 1, 2], [1, 2, 0]])


@pytest.mark.parametrize(
    "graph",
    [
        Graph(torch.from_numpy(EDGES), 4),
        torch.from_numpy(EDGES),
        EDGES,
        EDGES.tolist(),
        scipy.sparse.coo_array((np.ones(3), EDGES), shape=(4, 4)),
        Data(edge_index=torch.from_numpy(EDGES), num_nodes=4),
    ],
    ids=["Graph", "tensor", "array", "lists", "SciPy", "PyG"],
)
def test_whatever_holds_a_graph(graph) -> None:
    structure = given_structure(graph, 4)
    assert structure.graph.edge_index.tolist() == EDGES.tolist()
    assert structure.graph.num_nodes == 4
    assert structure.weight is None


def test_the_values_of_an_adjacency_are_weights_and_zeros_no_edges() -> None:
    matrix = scipy.sparse.csr_array(([0.5, 0.0, 2.0], ([0, 1, 2], [1, 2, 2])), shape=(3, 3))
    structure = given_structure(matrix, 3)
    assert structure.graph.edge_index.tolist() == [[0, 2], [1, 2]]
    assert structure.weight.tolist() == [0.5, 2.0]
    looped = structure.with_self_loops()
    assert dict(zip(map(tuple, looped.graph.edge_index.t().tolist()), looped.weight.tolist(), strict=True)) == {
        (0, 1): 0.5,
        (0, 0): 1.0,
        (1, 1): 1.0,
        (2, 2): 1.0,
    }
    with pytest.raises(ValueError, match="none negative"):
        given_structure(scipy.sparse.csr_array([[0.0, -1.0], [0.0, 0.0]]), 2)


def test_a_graph_that_does_not_fit_the_rows_is_refused() -> None:
    with pytest.raises(ValueError, match="X has 5 rows, but the graph has 3 nodes"):
        given_structure(Graph(torch.from_numpy(EDGES), 3), 5)
    with pytest.raises(ValueError, match="2 x 3 nodes"):
        given_structure(scipy.sparse.csr_array(np.ones((2, 3))), 2)
    with pytest.raises(ValueError, match="edge 2 has source 2, but there are only 2 nodes"):
        given_structure(EDGES, 2)
    with pytest.raises(ValueError, match="got str"):
        given_structure("cora", 2)


def test_neighbours_on_a_line() -> None:
    x = np.array([[0.0], [1.0], [2.5], [10.0]], dtype=np.float32)
    edges = neighbour_structure(x, 1, "euclidean").graph.edge_index.t().tolist()
    assert sorted(edges) == [[0, 1], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2]]
    assert neighbour_structure(x, 9, "euclidean").graph.num_edges == 12
    assert nearest_rows(np.array([[9.0], [0.6]]), x, 2, "euclidean").tolist() == [[3, 2], [1, 0]]


def test_new_nodes_listen_and_are_not_heard() -> None:
    structure = given_structure(EDGES, 3)
    edges = structure.joined(np.array([[0, 2], [1, 1]]), self_loops=True).graph.edge_index[:, 3:].t().tolist()
    assert edges == [[0, 3], [2, 3], [1, 4], [1, 4], [3, 3], [4, 4]]
    weighted = given_structure(scipy.sparse.csr_array([[0.0, 3.0], [0.0, 0.0]]), 2).joined(
        np.array([[0]]), self_loops=False
    )
    assert weighted.weight.tolist() == [3.0, 1.0]
