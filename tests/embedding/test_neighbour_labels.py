import torch
from torch.nn.functional import normalize

from agdn import Graph
from agdn.embedding.neighbour_labels import cluster_labels, label_features, label_means, neighbours
from graphs import random_edges

EDGES = torch.cat([random_edges(30, 60), torch.tensor([[3, 3, 5], [3, 7, 5]])], dim=1)  # self-loops among them
GRAPH = Graph(EDGES, 31)  # the last node has no edge


def dense() -> torch.Tensor:
    joined = torch.zeros(31, 31, dtype=torch.float64)
    joined[EDGES[0], EDGES[1]] = joined[EDGES[1], EDGES[0]] = 1
    return joined.fill_diagonal_(0)


def test_neighbours_go_both_ways_without_loops() -> None:
    assert torch.equal(torch.from_numpy(neighbours(GRAPH).toarray()).double(), dense())


def test_labels_are_like_the_texts_that_have_them() -> None:
    x = torch.randn(31, 6)
    own = normalize(x.double())
    expected = normalize(normalize(dense() @ own) + own)
    torch.testing.assert_close(label_features(neighbours(GRAPH), x).double(), expected, rtol=1e-5, atol=1e-6)


def test_shares_of_neighbours_by_cluster() -> None:
    clusters = (torch.arange(31) % 4).int()
    truth = cluster_labels(neighbours(GRAPH), clusters, 4)
    counts = dense() @ torch.eye(4, dtype=torch.float64)[clusters.long()]
    expected = counts / counts.sum(1, keepdim=True).clamp(min=1)
    for node in range(31):
        part = slice(int(truth.indptr[node]), int(truth.indptr[node + 1]))
        assert truth.labels[part].tolist() == expected[node].nonzero().flatten().tolist()
        torch.testing.assert_close(truth.shares[part].double(), expected[node][expected[node] > 0], rtol=1e-6, atol=0)
    h = torch.randn(31, 5)
    torch.testing.assert_close(
        label_means(truth, h, 4).double(), normalize(expected.T @ h.double()), rtol=1e-5, atol=1e-6
    )


def test_what_is_counted_leaves_the_neighbours_as_they_were() -> None:
    joined = neighbours(GRAPH)
    before = joined.toarray()
    cluster_labels(joined, torch.zeros(31, dtype=torch.int32), 1)
    assert (joined.toarray() == before).all()
