import pytest
import torch
from torch import nn

from agdn.training.errors import TrainingError
from agdn.training.settings import Settings
from agdn.training.state import Best, State


def test_weights_are_a_copy_of_what_is_evaluated() -> None:
    model = nn.Linear(2, 1)
    state = State(model, Settings(ema_decay=0.9))
    assert state.ema is not None
    state.ema.averages["weight"].fill_(7.0)
    kept = state.weights()
    state.ema.averages["weight"].fill_(8.0)
    assert kept["weight"].tolist() == [[7.0, 7.0]]
    assert not torch.equal(model.weight, kept["weight"])


def test_best_weights_come_back() -> None:
    model = nn.Linear(2, 1)
    state = State(model, Settings())
    state.best = Best(3, 0.5, {"epoch": 3}, {"weight": torch.ones(1, 2), "bias": torch.zeros(1)})
    assert state.restore_best() == {"epoch": 3}
    assert model.weight.tolist() == [[1.0, 1.0]]


def test_without_kept_weights_there_is_nothing_to_restore() -> None:
    with pytest.raises(TrainingError, match="keep_best"):
        State(nn.Linear(1, 1), Settings()).restore_best()


def test_only_a_strictly_better_value_is_better() -> None:
    state = State(nn.Linear(1, 1), Settings())
    assert state.is_better(0.0, higher_is_better=True)
    state.best = Best(1, 0.5, {})
    assert not state.is_better(0.5, higher_is_better=True)
    assert state.is_better(0.6, higher_is_better=True)
    assert state.is_better(0.4, higher_is_better=False)
