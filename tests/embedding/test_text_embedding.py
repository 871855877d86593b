import numba
import pytest
import torch
from torch import Tensor

from agdn import Graph
from agdn.data.tables.text_encoder import TextFeatures
from agdn.embedding import NeighbourTraining, Words, text_embedding
from agdn.ops.kernels import jit
from small_texts import NODES, mean_rank, topic_texts

TEXTS, GRAPH, HELD_OUT = topic_texts()
WIDTH = 8
QUICK = NeighbourTraining(epochs=6, batch=64, label_lr=0.2)  # few steps, so large ones


def embedded(texts: list[str] = TEXTS, graph: Graph = GRAPH, *, seed: int = 0, **options: object) -> Tensor:
    return text_embedding(texts, graph, encoder=Words(dim=WIDTH, lr=0.5, **options), training=QUICK, seed=seed)


@pytest.mark.parametrize("options", [{}, {"hidden": 16}, {"ngrams": 2, "buckets": 4096}])
def test_held_out_neighbours_are_told_better_than_by_tfidf_and_svd(options: dict) -> None:
    plain = TextFeatures.fit(TEXTS, None, width=WIDTH, seed=0).apply(TEXTS)
    x = embedded(**options)
    assert x.shape == (NODES, WIDTH)
    assert float(x.square().mean()) == pytest.approx(1, abs=1e-3)
    assert mean_rank(x, HELD_OUT) < 0.4 * mean_rank(torch.from_numpy(plain), HELD_OUT)


def test_what_is_learnt_comes_from_the_edges() -> None:
    """The same texts with edges between nodes at random tell nothing of the held-out ones."""
    shuffled = Graph(torch.stack([GRAPH.targets, GRAPH.indices[torch.randperm(GRAPH.num_edges)]]), NODES)
    assert mean_rank(embedded(), HELD_OUT) < 0.4 * mean_rank(embedded(graph=shuffled), HELD_OUT)


def test_a_seed_fixes_every_bit() -> None:
    first = embedded(hidden=8, seed=1)
    assert torch.equal(first, embedded(hidden=8, seed=1))
    assert not torch.equal(first, embedded(hidden=8, seed=2))


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two cores")
def test_the_kernels_bits_do_not_depend_on_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "PARALLEL_FROM", 0)
    found = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        found.append(embedded())
    torch.set_num_threads(1)
    torch.testing.assert_close(*found)


def test_awkward_nodes_have_vectors() -> None:
    """A text without a word, a node without an edge, more numbers than directions."""
    texts = ["graphs and nodes", "nodes and edges", "", "pots and pans", "a b c"]
    x = text_embedding(texts, Graph(torch.tensor([[0, 1], [1, 2]]), 5), encoder=Words(dim=32))
    assert x.shape == (5, 32)
    assert x.isfinite().all()
    assert x[2].abs().sum() == 0
    assert x[3].norm() > 0


def test_progress_grows_towards_one() -> None:
    seen: list[tuple[str, float]] = []
    text_embedding(TEXTS, GRAPH, encoder=Words(dim=4), progress=lambda *now: seen.append(now))
    fractions = [fraction for stage, fraction in seen if stage == "levels"]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


@pytest.mark.parametrize(
    ("texts", "edges", "sentence"),
    [
        (["one", "two"], [[0, 1], [1, 2]], "there are 2 texts for 3 nodes"),
        (["one", "two", "three"], [[0], [0]], "no two nodes are joined"),
        (["a", "b", "c"], [[0, 1], [1, 2]], "no text has a word of two letters"),
    ],
)
def test_what_a_caller_gets_wrong(texts: list[str], edges: list[list[int]], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        text_embedding(texts, Graph(torch.tensor(edges), 3))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"dim": 0}, "dim must be at least 1, got 0"),
        ({"ngrams": 0}, "ngrams must be at least 1"),
        ({"buckets": 0}, "buckets must be at least 1"),
        ({"hidden": -1}, "hidden must be at least 0, got -1"),
        ({"word_dropout": 1.0}, r"word_dropout must lie in 0\.\.1, below 1; got 1\.0"),
        ({"lr": 0.0}, "lr must be a number above 0"),
        ({"layer_lr": float("nan")}, "layer_lr must be a number above 0"),
    ],
)
def test_words_with_a_mistake(options: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Words(**options)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"beam": 0}, "beam must be at least 1"),
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"batch": 0}, "batch must be at least 1"),
        ({"scale": 0.0}, "scale must be a number above 0"),
        ({"label_lr": -1.0}, "label_lr must be a number above 0"),
    ],
)
def test_training_with_a_mistake(options: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        NeighbourTraining(**options)
