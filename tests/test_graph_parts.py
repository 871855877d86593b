"""A graph put together from its own arrays is the graph they were taken from, or is refused."""

from __future__ import annotations

import pytest
import torch

from agdn.graph import Graph

GRAPH = Graph(torch.tensor([[2, 0, 1, 3], [1, 1, 0, 2]]), 4)


def parts(**changes: torch.Tensor) -> dict:
    return {"indptr": GRAPH.indptr, "indices": GRAPH.indices, "order": GRAPH.order, "size": (4, 4), **changes}


def test_the_same_graph() -> None:
    graph = Graph.from_parts(**parts())
    assert torch.equal(graph.edge_index, GRAPH.edge_index)
    assert (graph.num_nodes, graph.origin) == (4, None)


def test_a_bipartite_graph() -> None:
    graph = Graph(torch.tensor([[0, 1], [2, 0]]), size=(2, 3))
    again = Graph.from_parts(graph.indptr, graph.indices, graph.order, size=(2, 3), bipartite=True)
    assert again.is_bipartite
    assert torch.equal(again.edge_index, graph.edge_index)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"indptr": torch.tensor([0, 1, 3, 4])}, "needs 5 pointers"),
        ({"indptr": torch.tensor([0, 3, 1, 4, 4])}, "must rise"),
        ({"indptr": torch.tensor([0, 1, 3, 4, 9])}, "must rise"),
        ({"indptr": GRAPH.indptr.int()}, "int64"),
        ({"indices": torch.tensor([1, 0, 4, 3])}, "sources must lie in 0..3"),
        ({"indices": torch.tensor([1, 0, -1, 3])}, "sources must lie in 0..3"),
        ({"indices": torch.tensor([1.0, 0, 2, 3])}, "int32 or int64"),
        ({"order": torch.tensor([0, 1, 2, 4])}, "positions must lie in 0..3"),
        ({"order": torch.tensor([0, 1, 2, 2])}, "every edge once"),
        ({"order": torch.tensor([0, 1, 2])}, "as many positions"),
        ({"origin": torch.tensor([0])}, "origin"),
    ],
)
def test_arrays_that_do_not_fit(change: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Graph.from_parts(**parts(**change))
