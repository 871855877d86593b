"""Scores against OGB's evaluator and scikit-learn, ties and unknown labels included."""

import numpy as np
import pytest
import torch
from sklearn.metrics import f1_score, r2_score

from agdn.tasks.metrics import HIGHER_IS_BETTER, accuracy, macro_f1, mae, r2, rocauc


@pytest.fixture(scope="module")
def evaluator():
    """OGB's own evaluators; they read a table that the package carries and download nothing."""
    from ogb.nodeproppred import Evaluator

    return Evaluator


def test_accuracy_is_ogbs(evaluator) -> None:
    for seed in range(5):
        y, predicted = torch.randint(40, (2, 997), generator=torch.Generator().manual_seed(seed))
        answer = evaluator("ogbn-arxiv").eval({"y_true": y.view(-1, 1), "y_pred": predicted.view(-1, 1)})
        assert accuracy(predicted, y) == answer["acc"]


@pytest.mark.parametrize("unknown", [0.0, 0.4])
@pytest.mark.parametrize("levels", [3, 1_000_000])
def test_rocauc_is_ogbs_with_ties_and_unknown_labels(evaluator, unknown: float, levels: int) -> None:
    rng = np.random.default_rng(levels)
    y = rng.integers(2, size=(300, 112)).astype(np.float32)
    y[rng.random(y.shape) < unknown] = np.nan
    y[:, 5], y[:, 6] = 1, 0  # tasks of one class do not count
    scores = rng.integers(levels, size=y.shape).astype(np.float32)
    expected = evaluator("ogbn-proteins").eval({"y_true": y, "y_pred": scores})["rocauc"]
    assert rocauc(torch.from_numpy(scores), torch.from_numpy(y)) == pytest.approx(expected, abs=1e-12)


def test_rocauc_of_hand_counted_pairs() -> None:
    y = torch.tensor([1, 1, 0, 0])
    assert rocauc(torch.tensor([3.0, 2.0, 2.0, 1.0]), y) == 3.5 / 4
    assert rocauc(torch.zeros(4), y) == 0.5
    assert rocauc(torch.tensor([0.0, 0.0, 1.0, 1.0]), y) == 0.0


def test_rocauc_of_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="both classes"):
        rocauc(torch.rand(4), torch.ones(4))


def test_macro_f1_is_scikit_learns() -> None:
    for seed in range(5):
        y, predicted = torch.randint(7, (2, 60), generator=torch.Generator().manual_seed(seed))
        y[y == 3] = 2  # one class occurs in the predictions only
        assert macro_f1(predicted, y) == pytest.approx(f1_score(y, predicted, average="macro"), abs=1e-12)


def test_numbers() -> None:
    y, predicted = torch.rand(50), torch.rand(50)
    assert mae(predicted, y) == pytest.approx(float((predicted - y).abs().mean()), abs=1e-7)
    assert r2(predicted, y) == pytest.approx(r2_score(y, predicted), abs=1e-6)
    assert r2(torch.ones(3), torch.ones(3)) == 1.0
    assert r2(torch.zeros(3), torch.ones(3)) == 0.0


def test_directions() -> None:
    assert {name for name, higher in HIGHER_IS_BETTER.items() if not higher} == {"mae"}
