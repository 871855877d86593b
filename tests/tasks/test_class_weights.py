import numpy as np
import pytest
import torch
from sklearn.utils.class_weight import compute_class_weight

from agdn.tasks.class_weights import fitted_weights


def test_balanced_is_scikit_learns() -> None:
    y = torch.tensor([0, 0, 0, 1, 2, 2])
    weights = fitted_weights("class", y, "balanced", 3)
    expected = compute_class_weight("balanced", classes=np.arange(3), y=y.numpy())
    torch.testing.assert_close(weights, torch.from_numpy(expected).float())


def test_a_class_without_training_nodes_weighs_one() -> None:
    assert fitted_weights("class", torch.tensor([0, 0]), "balanced", 2).tolist() == [0.5, 1.0]


def test_balanced_tasks_weigh_positives_as_negatives() -> None:
    y = torch.tensor([[1.0, 1.0], [0.0, torch.nan], [0.0, 1.0]])
    assert fitted_weights("multilabel", y, "balanced", 2).tolist() == [2.0, 1.0]


@pytest.mark.parametrize(
    ("target", "weights", "message"),
    [
        ("class", [1.0], "1 numbers, but there are 2 classes"),
        ("class", [1.0, -1.0], "none negative"),
        ("class", [0.0, 0.0], "not all zero"),
        ("class", "heavy", "'balanced'"),
        ("numeric", "balanced", "number"),
    ],
)
def test_wrong_weights(target: str, weights: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fitted_weights(target, torch.tensor([0, 1]), weights, 2)


def test_none_is_none() -> None:
    assert fitted_weights("class", torch.tensor([0]), None, 1) is None
