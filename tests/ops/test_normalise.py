"""The adjacency divided by degrees, computed once for a graph."""

import torch

from agdn.graph import Graph
from agdn.ops.normalise import normalised_adjacency


def test_edges_are_divided_by_the_degrees_of_their_ends() -> None:
    graph = Graph(torch.tensor([[0, 1, 2, 0], [1, 2, 0, 2]]), 3)
    into, out_of = graph.in_degree.double(), graph.out_degree.double()
    edges = (graph.targets.long(), graph.indices.long())
    expected = {"row": 1 / into[edges[0]], "col": 1 / out_of[edges[1]]}
    expected["sym"] = (expected["row"] * expected["col"]).sqrt()
    for kind, values in expected.items():
        torch.testing.assert_close(normalised_adjacency(graph, kind, dtype=torch.float64).squeeze(1), values)


def test_a_graph_keeps_it_for_training_too() -> None:
    graph = Graph(torch.tensor([[0, 1, 2], [1, 2, 0]]), 3)
    with torch.inference_mode():
        kept = normalised_adjacency(graph, "sym")
    assert normalised_adjacency(graph, "sym") is kept
    assert normalised_adjacency(graph, "row") is not kept
    assert normalised_adjacency(graph, "sym", dtype=torch.float64).dtype == torch.float64
    x = torch.ones(3, 1, requires_grad=True)
    (kept * x).sum().backward()
    assert x.grad is not None
