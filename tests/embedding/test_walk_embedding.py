from pathlib import Path

import numba
import pytest
import torch
from torch import Tensor

from agdn import Graph, load_dataset
from agdn.data.embedded.csbm import csbm
from agdn.embedding import walk_embedding
from agdn.ops.kernels import jit
from graphs import AWKWARD, random_edges

SMALL = {"dim": 16, "walk_length": 12, "window": 6, "walks_per_node": 4}


def linear_accuracy(x: Tensor, y: Tensor, train: Tensor, test: Tensor) -> float:
    from sklearn.linear_model import LogisticRegression

    x = torch.nn.functional.normalize(x)
    model = LogisticRegression(max_iter=1000).fit(x[train].numpy(), y[train].numpy())
    return float(model.score(x[test].numpy(), y[test].numpy()))


@pytest.mark.parametrize(("p", "q"), [(1.0, 1.0), (0.5, 2.0)])
def test_communities_of_a_planted_partition_are_found(p: float, q: float) -> None:
    dataset = csbm(num_nodes=400, num_classes=4, degree=12, homophily=0.85, seed=1)
    assert dataset.y is not None
    x = walk_embedding(dataset.graph, dim=32, walk_length=20, window=8, walks_per_node=10, p=p, q=q)
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_rand_score

    found = KMeans(4, n_init=5, random_state=0).fit_predict(torch.nn.functional.normalize(x).numpy())
    assert adjusted_rand_score(dataset.y.numpy(), found) > 0.9


def test_deepwalk_on_cora(real_data: Path) -> None:
    """Published accuracies of DeepWalk with a linear classifier on this split lie at 67 to 72 %."""
    dataset = load_dataset("cora", real_data)
    assert dataset.y is not None
    x = walk_embedding(dataset.graph)
    assert linear_accuracy(x, dataset.y, dataset.split.train, dataset.split.test) > 0.67


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("undirected", [True, False])
def test_every_graph_has_vectors(name: str, undirected: bool) -> None:
    graph = Graph(*AWKWARD[name])
    x = walk_embedding(graph, undirected=undirected, **SMALL)
    assert x.shape == (graph.num_nodes, 16)
    assert x.dtype == torch.float32
    assert x.isfinite().all()


def test_nodes_without_edges_stay_small() -> None:
    x = walk_embedding(Graph(torch.tensor([[0, 1], [1, 2]]), 5), **SMALL)
    assert x[3:].abs().max() <= 0.5 / 16
    assert x[:3].norm(dim=1).min() > x[3:].norm(dim=1).max()


def test_a_seed_fixes_every_bit() -> None:
    graph = Graph(random_edges(60, 200), 60)
    first = walk_embedding(graph, seed=1, **SMALL)
    assert torch.equal(first, walk_embedding(graph, seed=1, **SMALL))
    assert not torch.equal(first, walk_embedding(graph, seed=2, **SMALL))


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two cores")
def test_the_number_of_threads_does_not_change_a_bit(monkeypatch) -> None:
    monkeypatch.setattr(jit, "PARALLEL_FROM", 0)
    graph, tables = Graph(random_edges(200, 800), 200), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        tables.append(walk_embedding(graph, **SMALL))
    torch.set_num_threads(1)
    assert torch.equal(*tables)


def test_weights_decide_where_walks_go() -> None:
    """Two groups joined by edges of no weight are as far apart as two that are not joined."""
    clique = torch.combinations(torch.arange(8)).T
    across = torch.stack([torch.arange(8), torch.arange(8, 16)])
    graph = Graph(torch.cat([clique, clique + 8, across], dim=1), 16)
    weight = torch.cat([torch.ones(2 * clique.size(1)), torch.zeros(8)])
    x = torch.nn.functional.normalize(walk_embedding(graph, edge_weight=weight, epochs=5, **SMALL))
    cosine = x @ x.T
    assert cosine[:8, :8].mean() > 0.8
    assert cosine[:8, 8:].mean() < 0


def test_progress_grows_towards_one() -> None:
    seen: list[tuple[str, float]] = []
    walk_embedding(Graph(random_edges(60, 200), 60), progress=lambda *now: seen.append(now), **SMALL)
    fractions = [fraction for _, fraction in seen]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert len(fractions) > 4


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"dim": 0}, "dim must be at least 1, got 0"),
        ({"walks_per_node": 0}, "walks_per_node must be at least 1"),
        ({"negatives": 0}, "negatives must be at least 1"),
        ({"epochs": -1}, "epochs must be at least 1, got -1"),
        ({"window": 41}, r"window must lie in 2\.\.40, the nodes of a walk \(walk_length\); got 41"),
        ({"window": 1}, r"window must lie in 2\.\.40"),
        ({"lr": 0.0}, "lr must be a number above 0"),
        ({"lr": float("nan")}, "lr must be a number above 0"),
        ({"p": -1.0}, "p must be a number above 0"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"edge_weight": torch.ones(3)}, "edge_weight must be one number for each of the 2 edges"),
    ],
)
def test_what_a_caller_gets_wrong(options: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        walk_embedding(Graph(torch.tensor([[0, 1], [1, 2]]), 3), **options)
