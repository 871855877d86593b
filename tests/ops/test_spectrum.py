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
