"""Eigenvalues that are known, and their histogram by moments."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agdn.graph import Graph
from agdn.ops.spectrum import laplacian_eigenvalues, laplacian_histogram
from graphs import random_edges, symmetric


def ring(nodes: int) -> Graph:
    ids = torch.arange(nodes)
    return Graph(torch.stack([ids, (ids + 1) % nodes]), nodes)


def test_a_rings_eigenvalues_are_one_minus_cosines() -> None:
    known = np.sort(1 - np.cos(2 * np.pi * np.arange(12) / 12))
    np.testing.assert_allclose(laplacian_eigenvalues(ring(12).undirected()), known, atol=1e-12)


def test_a_complete_graph_and_a_node_alone() -> None:
    pairs = torch.combinations(torch.arange(4)).t()
    values = laplacian_eigenvalues(Graph(pairs, 5).undirected())
    np.testing.assert_allclose(values, [0, 1, 4 / 3, 4 / 3, 4 / 3], atol=1e-12)


@pytest.mark.parametrize("graph", [ring(600), Graph(symmetric(random_edges(800, 3000)), 800)], ids=["ring", "random"])
def test_moments_find_about_the_same(graph: Graph) -> None:
    exact, estimated = laplacian_histogram(graph, 10), laplacian_histogram(graph, 10, exact=0)
    assert exact.sum() == pytest.approx(1)
    assert estimated.sum() == pytest.approx(1)
    np.testing.assert_allclose(estimated, exact, atol=0.03)


def test_repeated_edges_of_a_symmetric_graph_count() -> None:
    """A triangle with one side doubled, against its weighted matrix."""
    edges = torch.tensor([[0, 0, 1, 1, 1, 2], [1, 1, 0, 0, 2, 1]])
    heavy = torch.cat([edges, torch.tensor([[0, 2], [2, 0]])], 1)
    weights = torch.zeros(3, 3, dtype=torch.float64).index_put_(
        (heavy[0], heavy[1]), torch.ones(heavy.size(1), dtype=torch.float64), accumulate=True
    )
    scale = weights.sum(1).rsqrt()
    known = torch.linalg.eigvalsh(torch.eye(3, dtype=torch.float64) - scale[:, None] * weights * scale).numpy()
    counts, _ = np.histogram(known.clip(0, 2), 400, (0, 2))
    np.testing.assert_allclose(laplacian_histogram(Graph(heavy, 3), 400), counts / 3)
    assert not np.array_equal(laplacian_histogram(Graph(heavy, 3).coalesced(), 400), counts / 3)


def test_moments_leave_no_eigenvalues_where_there_are_none() -> None:
    pairs = torch.combinations(torch.arange(60)).t()
    shares = laplacian_histogram(Graph(pairs, 60), 40, exact=0)
    assert shares[30:].sum() == 0, "a complete graph has none beyond 60 / 59"
