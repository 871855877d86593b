"""Rates against torch's own schedulers."""

import math

import pytest
import torch
from torch import nn

from agdn.training.schedules import SCHEDULES, Constant, Cosine, LearningRate, Plateau


def reference() -> torch.optim.Optimizer:
    return torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)


def observed(rate: LearningRate, *, score: float | None, higher_is_better: bool = True, loss: float = 0.0) -> None:
    valid_loss = None if score is None else loss
    rate.observe(train_loss=loss, valid_loss=valid_loss, score=score, higher_is_better=higher_is_better)


def test_cosine_is_torchs() -> None:
    optimizer = reference()
    theirs = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20, eta_min=0.01)
    ours = LearningRate(0.1, Cosine(min_lr=0.01), epochs=20)
    for epoch in range(1, 21):
        assert ours.at(epoch) == pytest.approx(theirs.get_last_lr()[0], rel=1e-9)
        optimizer.step()
        theirs.step()


@pytest.mark.parametrize("higher", [True, False])
def test_plateau_is_torchs(higher: bool) -> None:
    optimizer = reference()
    theirs = torch.optim.lr_scheduler.ReduceLROnPlateau(
        optimizer, "max" if higher else "min", factor=0.75, patience=3, min_lr=0.02
    )
    ours = LearningRate(0.1, Plateau(factor=0.75, patience=3, min_lr=0.02), epochs=200)
    for epoch, value in enumerate(torch.rand(200, generator=torch.Generator().manual_seed(1)).tolist(), 1):
        assert ours.at(epoch) == optimizer.param_groups[0]["lr"]
        theirs.step(value)
        observed(ours, score=value, higher_is_better=higher)
    assert ours.at(200) == 0.02


def rates(between: str, evaluated: dict[int, float], epochs: int = 12) -> list[float]:
    rate = LearningRate(1.0, Plateau(factor=0.5, patience=2, between=between), epochs=epochs)
    seen = []
    for epoch in range(1, epochs + 1):
        seen.append(rate.at(epoch))
        observed(rate, score=evaluated.get(epoch))
    return seen


def test_the_three_habits_between_evaluations() -> None:
    evaluated = {6: 0.5}
    assert rates("wait", evaluated) == [1.0] * 12
    # new at epoch 6, stale at 7, 8 and 9
    assert rates("repeat", evaluated) == [1.0] * 9 + [0.5] * 3
    # the zero of epoch 1 is the best so far, those of 2, 3 and 4 are no improvement; and 7, 8, 9 as above
    assert rates("zero", evaluated) == [1.0] * 4 + [0.5] * 5 + [0.25] * 3


def test_zero_between_evaluations_is_torch_fed_with_zeros() -> None:
    optimizer = reference()
    theirs = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, "max", factor=0.7, patience=20, min_lr=1e-4)
    ours = LearningRate(0.1, Plateau(factor=0.7, patience=20, min_lr=1e-4, between="zero"), epochs=100)
    for epoch in range(1, 101):
        score = 0.8 + epoch / 1000 if epoch % 10 == 0 else None
        assert ours.at(epoch) == optimizer.param_groups[0]["lr"]
        theirs.step(0.0 if score is None else score)
        observed(ours, score=score)


def test_a_loss_is_watched_downwards_whatever_the_score_does() -> None:
    for watch in ("valid_loss", "train_loss"):
        rate = LearningRate(1.0, Plateau(factor=0.5, patience=1, watch=watch), epochs=10)
        for loss in (3.0, 2.0, 2.5, 2.5):
            observed(rate, score=loss, loss=loss)
        assert rate.at(5) == 0.5


def test_warm_up_is_linear_and_multiplies() -> None:
    rate = LearningRate(0.2, Constant(), epochs=100, warmup_epochs=50)
    assert [rate.at(epoch) for epoch in (1, 25, 50, 51, 100)] == pytest.approx([0.2 / 50, 0.1, 0.2, 0.2, 0.2])
    both = LearningRate(0.2, Cosine(), epochs=10, warmup_epochs=5)
    assert both.at(3) == pytest.approx(0.2 * (1 + math.cos(math.pi * 0.2)) / 2 * 0.6)


def test_state_goes_and_comes_back() -> None:
    rate = LearningRate(0.1, Plateau(patience=1), epochs=10)
    for value in (0.5, 0.4, 0.4, 0.4):
        observed(rate, score=value)
    other = LearningRate(0.1, Plateau(patience=1), epochs=10)
    other.restore(rate.state())
    assert other.state() == rate.state()
    assert other.at(5) == 0.05


def test_names() -> None:
    assert [schedule().name for schedule in SCHEDULES.values()] == list(SCHEDULES)
