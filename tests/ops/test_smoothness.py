"""Smoothness against dense matrices, and what it is of states that are all alike."""

from __future__ import annotations

import pytest
import torch

from agdn import Graph
from agdn.ops.smoothness import dirichlet_energy, mean_cosine


def undirected(nodes: int = 30, edges: int = 60) -> Graph:
    torch.manual_seed(0)
    return Graph(torch.randint(nodes, (2, edges)), nodes).undirected().with_self_loops()


def test_the_energy_is_the_quotient_of_the_normalised_laplacian() -> None:
    graph, h = undirected(), torch.randn(30, 7, dtype=torch.float64)
    adjacency = torch.zeros(30, 30, dtype=torch.float64)
    adjacency[graph.edge_index[1].long(), graph.edge_index[0].long()] = 1
    root = adjacency.sum(1).rsqrt()
    laplacian = torch.eye(30, dtype=torch.float64) - root[:, None] * adjacency * root[None]
    expected = torch.trace(h.t() @ laplacian @ h) / torch.trace(h.t() @ h)
    assert dirichlet_energy(h, graph) == pytest.approx(float(expected))
    smoothest = (1 / root)[:, None] * torch.ones(1, 3, dtype=torch.float64)
    assert dirichlet_energy(smoothest, graph) == pytest.approx(0, abs=1e-12)
    assert dirichlet_energy(100 * h, graph) == pytest.approx(float(expected))
    assert dirichlet_energy(torch.zeros(30, 2), graph) == 0


def test_the_energy_of_parts_is_that_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, h = undirected(), torch.randn(30, 7)
    whole = dirichlet_energy(h, graph)
    monkeypatch.setattr("agdn.ops.smoothness.BLOCK", 50)
    assert dirichlet_energy(h, graph) == pytest.approx(whole)


def test_the_cosine_is_the_mean_over_pairs() -> None:
    h = torch.randn(20, 5, dtype=torch.float64)
    h[3] = 0
    pairs = [
        float(torch.nn.functional.cosine_similarity(h[i], h[j], dim=0)) for i in range(20) for j in range(20) if i != j
    ]
    assert mean_cosine(h) == pytest.approx(sum(pairs) / len(pairs))
    assert mean_cosine(torch.ones(4, 3) * torch.tensor([[1.0], [2.0], [3.0], [9.0]])) == pytest.approx(1)
    with pytest.raises(ValueError, match="pairs of nodes"):
        mean_cosine(h[:1])
