import pytest
import torch

from agdn.embedding import class_scores

WORDS = ("graph kernel", "neural network", "quantum channel")


def texts_and_classes(count: int = 90, noise: int = 0) -> tuple[list[str], torch.Tensor]:
    y = torch.arange(count) % 3
    return [f"a paper about {WORDS[(c + (i < noise)) % 3]} number {i % 7}" for i, c in enumerate(y.tolist())], y


def test_classes_are_told_of_all_nodes() -> None:
    texts, y = texts_and_classes()
    scores = class_scores(texts, y, torch.arange(60), folds=3)
    assert scores.shape == (90, 3)
    assert scores.dtype == torch.float32
    assert torch.equal(scores.argmax(1), y)


def test_a_node_is_scored_by_those_that_have_not_seen_its_label() -> None:
    texts, y = texts_and_classes()
    texts[5], y[5] = "a text like no other", torch.tensor(1)
    wrong = y.clone()
    wrong[5] = 2
    scores, others = (class_scores(texts, labels, torch.arange(60), folds=60) for labels in (y, wrong))
    assert torch.equal(scores[5], others[5])
    assert not torch.equal(scores[6], others[6])


def test_other_labels_than_those_of_training_nodes_are_not_looked_at() -> None:
    texts, y = texts_and_classes()
    hidden = y.clone()
    hidden[60:] = -1
    first, second = (class_scores(texts, labels, torch.arange(60), seed=3) for labels in (y, hidden))
    assert torch.equal(first, second)


def test_a_class_that_a_fold_has_not_met_scores_nothing() -> None:
    texts, y = texts_and_classes(12)
    y[:] = 0
    y[4] = 1
    scores = class_scores(texts, y, torch.arange(12), folds=12)
    assert scores[4].tolist() == [1, 0]
    assert bool(scores.isfinite().all())


@pytest.mark.parametrize(
    ("change", "message"),
    [({"folds": 1}, r"folds must lie in 2..60"), ({"folds": 61}, r"2..60"), ({"ngrams": 0}, "ngrams")],
)
def test_wrong_numbers_are_named(change: dict[str, int], message: str) -> None:
    texts, y = texts_and_classes()
    with pytest.raises(ValueError, match=message):
        class_scores(texts, y, torch.arange(60), **change)


def test_every_node_needs_a_text() -> None:
    texts, y = texts_and_classes()
    with pytest.raises(ValueError, match="there are 89 texts for 90 nodes"):
        class_scores(texts[:-1], y, torch.arange(60))
