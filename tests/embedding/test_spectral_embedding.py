import pytest
import torch

from agdn import Graph
from agdn.embedding import spectral_embedding
from graphs import random_edges, symmetric

N = 40
GRAPH = Graph(symmetric(random_edges(N, 120)), N)


def eigen(graph: Graph) -> tuple[torch.Tensor, torch.Tensor]:
    dense = torch.zeros(N, N, dtype=torch.float64)
    dense[graph.edge_index[0].long(), graph.edge_index[1].long()] = 1
    values, vectors = torch.linalg.eigh(dense)
    order = values.abs().argsort(descending=True)
    return values[order], vectors[:, order]


@pytest.mark.parametrize("dim", [5, 30])
def test_products_are_the_best_of_their_rank(dim: int) -> None:
    values, vectors = eigen(GRAPH)
    z = spectral_embedding(GRAPH, dim=dim).double()
    best = (vectors[:, :dim] * values[:dim]) @ vectors[:, :dim].T
    torch.testing.assert_close((z * values[:dim].sign()) @ z.T, best, rtol=1e-5, atol=1e-5)


def test_the_same_bits_again_and_without_regard_to_direction() -> None:
    one_way = GRAPH.edge_index[:, GRAPH.edge_index[0] < GRAPH.edge_index[1]]
    first = spectral_embedding(GRAPH, dim=4)
    assert torch.equal(spectral_embedding(GRAPH, dim=4), first)
    assert torch.equal(spectral_embedding(Graph(one_way, N), dim=4), first)


def test_more_vectors_than_nodes_are_refused() -> None:
    with pytest.raises(ValueError, match="a graph of 40 nodes has 40 eigenvectors; dim=41 asks for more"):
        spectral_embedding(GRAPH, dim=41)
