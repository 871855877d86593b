import pytest
import torch

from agdn import Graph
from agdn.models import linear_autoencoder
from agdn.models.linear_autoencoder import LinearAutoencoder, autoencoder_scores
from graphs import random_edges, symmetric

N = 12
EDGES = symmetric(random_edges(N, 30))


def regressed(edges: torch.Tensor, ridge: float) -> torch.Tensor:
    """Column by column: a ridge regression on all other columns."""
    a = torch.zeros(N, N, dtype=torch.float64)
    a[edges[0], edges[1]] = 1
    a = torch.maximum(a, a.T)
    root = a.sum(1).clamp(min=1).sqrt()
    x = a / root[:, None] / root
    scores = torch.zeros_like(a)
    for column in range(N):
        others = [other for other in range(N) if other != column]
        given = x[:, others]
        weights = torch.linalg.solve(
            given.T @ given + ridge * torch.eye(N - 1, dtype=torch.float64), given.T @ x[:, column]
        )
        scores[:, column] = given @ weights
    scores = root[:, None] * scores * root
    return (scores + scores.T) / 2


@pytest.mark.parametrize("ridge", [0.01, 0.5])
def test_every_column_is_a_regression_on_the_others(ridge: float) -> None:
    found = autoencoder_scores(Graph(EDGES, N), ridge, dtype=torch.float64)
    torch.testing.assert_close(found, regressed(EDGES, ridge), rtol=1e-9, atol=1e-9)


def test_direction_and_repetition_of_links_change_nothing() -> None:
    once = autoencoder_scores(Graph(EDGES, N), 0.1)
    one_way = EDGES[:, EDGES[0] < EDGES[1]]
    torch.testing.assert_close(autoencoder_scores(Graph(torch.cat([one_way, one_way], 1), N), 0.1), once)


def test_the_model_reads_its_pairs_off_the_table_and_makes_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, pairs = Graph(EDGES, N), random_edges(N, 20, seed=1)
    model = LinearAutoencoder(ridge=0.1)
    expected = autoencoder_scores(graph, 0.1)[pairs[0], pairs[1]]
    assert torch.equal(model(None, graph, pairs), expected)
    monkeypatch.setattr(linear_autoencoder, "autoencoder_scores", None)
    assert torch.equal(model(None, graph, pairs), expected)


def test_a_node_without_links_scores_nothing() -> None:
    graph = Graph(EDGES, N + 1)
    assert not LinearAutoencoder()(None, graph, torch.tensor([[N, 0], [0, N]])).any()


def test_what_cannot_be_is_a_sentence() -> None:
    with pytest.raises(ValueError, match="ridge must be above 0, got 0"):
        LinearAutoencoder(ridge=0)
    with pytest.raises(ValueError, match="up to 20,000 nodes; the graph has 20,001"):
        autoencoder_scores(Graph(torch.tensor([[0], [1]]), 20_001), 0.1)
