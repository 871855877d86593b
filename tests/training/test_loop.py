import itertools
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn

from agdn.tasks.evaluation import Evaluation
from agdn.training.errors import TrainingError
from agdn.training.loop import first_losses, fit
from agdn.training.settings import Settings
from agdn.training.state import State
from toy_run import built, settings

pytestmark = pytest.mark.usefixtures("plain_operators")


class Scripted:
    """A task with as many steps as asked for, whose evaluations follow a script."""

    metric = "accuracy"

    def __init__(
        self, scores: list[float], *, steps: int = 1, higher_is_better: bool = True, factor: float = 1.0
    ) -> None:
        self.scores, self.count, self.higher_is_better, self.factor = iter(scores), steps, higher_is_better, factor

    def steps(self, inputs: object) -> int:
        return self.count

    def losses(self, model: nn.Module, inputs: object, *, epoch: int, start: int) -> Iterator[Tensor]:
        for _ in range(start, self.count):
            yield self.factor * sum((p**2).sum() for p in model.parameters())

    def evaluate(self, model: nn.Module, inputs: object) -> Evaluation:
        score = next(self.scores)
        return Evaluation({part: {"accuracy": score} for part in ("train", "valid", "test")}, valid_loss=1 - score)


def linear() -> nn.Linear:
    torch.manual_seed(0)
    return nn.Linear(3, 2)


def test_a_step_is_torchs() -> None:
    ours, theirs = linear(), linear()
    optimizer = torch.optim.SGD(theirs.parameters(), lr=0.1, momentum=0.9)
    for _ in range(6):
        optimizer.zero_grad()
        sum((p**2).sum() for p in theirs.parameters()).backward()
        nn.utils.clip_grad_norm_(theirs.parameters(), 0.5)
        optimizer.step()
    chosen = Settings.model_validate(
        {"epochs": 3, "optimizer": {"name": "sgd", "lr": 0.1, "momentum": 0.9}, "clip_norm": 0.5}
    )
    list(fit(ours, Scripted([0.1] * 3, steps=2), None, chosen))
    assert torch.equal(ours.weight, theirs.weight)


def test_records_count_from_one_and_know_the_best() -> None:
    epochs = list(fit(linear(), Scripted([0.2, 0.5, 0.5, 0.4]), None, Settings(epochs=4)))
    assert [epoch.epoch for epoch in epochs] == [1, 2, 3, 4]
    assert [epoch.is_best for epoch in epochs] == [True, True, False, False]
    assert [epoch.best_epoch for epoch in epochs] == [1, 2, 2, 2]
    assert epochs[1].valid == {"accuracy": 0.5}
    assert all(epoch.seconds > 0 for epoch in epochs)


@pytest.mark.parametrize(
    ("select", "higher", "best"), [("score", True, 2), ("score", False, 3), ("loss", True, 2), ("loss", False, 2)]
)
def test_selection_by_score_follows_its_direction_and_by_loss_goes_down(select: str, higher: bool, best: int) -> None:
    task = Scripted([0.2, 0.5, 0.1], higher_is_better=higher)
    *_, last = fit(linear(), task, None, Settings(epochs=3, select=select))
    assert last.best_epoch == best


def test_epochs_without_evaluation_have_no_scores() -> None:
    epochs = list(fit(linear(), Scripted([0.1, 0.2]), None, Settings(epochs=5, evaluate_every=4)))
    assert [epoch.valid is not None for epoch in epochs] == [False, False, False, True, True]
    assert epochs[0].best_epoch == 0


def test_clipping_by_parts_leaves_the_others_alone() -> None:
    def moved(**clip: object) -> tuple[float, float]:
        model = nn.Sequential(linear(), linear())
        before = [p.detach().clone() for p in model.parameters()]
        chosen = Settings.model_validate({"epochs": 1, "optimizer": {"name": "sgd", "lr": 1.0}, **clip})
        list(fit(model, Scripted([0.1], factor=100), None, chosen))
        change = [(p - b).flatten() for p, b in zip(model.parameters(), before, strict=True)]
        return torch.cat(change[:2]).norm().item(), torch.cat(change[2:]).norm().item()

    first, second = moved(clip_norm=1.0, clip_parts=["0"])
    assert first == pytest.approx(1.0, rel=1e-4)
    assert second > 50
    assert moved(clip_norm=1.0) == pytest.approx((0.5**0.5, 0.5**0.5), rel=1e-4)


def test_the_rate_of_each_epoch_is_recorded_and_used() -> None:
    model = linear()
    before = model.weight.detach().clone()
    chosen = Settings.model_validate({"epochs": 2, "optimizer": {"name": "sgd", "lr": 0.2}, "warmup_epochs": 4})
    epochs = fit(model, Scripted([0.1] * 2), None, chosen)
    assert next(epochs).lr == pytest.approx(0.05)
    torch.testing.assert_close(model.weight, before * (1 - 2 * 0.05))
    assert next(epochs).lr == pytest.approx(0.1)


def test_a_loss_that_is_no_number_stops_the_run_before_it_harms_the_weights() -> None:
    model = linear()
    before = model.weight.detach().clone()
    with pytest.raises(TrainingError, match="nan in epoch 1; lower"):
        list(fit(model, Scripted([0.1], factor=float("nan")), None, Settings(epochs=1)))
    assert torch.equal(model.weight, before)


def test_a_task_without_steps_is_refused() -> None:
    with pytest.raises(TrainingError, match="training part is empty"):
        next(fit(linear(), Scripted([0.1], steps=0), None, Settings()))


def test_a_state_of_another_model_is_refused() -> None:
    with pytest.raises(ValueError, match="another model"):
        next(fit(linear(), Scripted([]), None, Settings(), State(linear(), Settings())))


def test_evaluation_uses_the_average_and_evaluation_mode() -> None:
    model, seen = linear(), []

    class Looking(Scripted):
        def evaluate(self, model: nn.Module, inputs: object) -> Evaluation:
            seen.append((model.training, torch.is_grad_enabled(), model.weight.detach().clone()))
            return super().evaluate(model, inputs)

    state = State(model, Settings(epochs=1, ema_decay=0.9))
    list(fit(model, Looking([0.1]), None, state.settings, state))
    ((training, grad, weight),) = seen
    assert (training, grad) == (False, False)
    assert torch.equal(weight, state.ema.averages["weight"])
    assert not torch.equal(weight, model.weight)


def test_the_same_seed_gives_the_same_losses_and_another_seed_others() -> None:
    first, again, other = (first_losses(*built(seed), settings(epochs=6), 5) for seed in (0, 0, 1))
    assert first == again
    assert len(first) == 5
    assert first != other


def test_a_user_can_stop_whenever_they_like() -> None:
    model, task, inputs = built()
    losses = [epoch.loss for epoch in itertools.islice(fit(model, task, inputs, settings(epochs=50)), 3)]
    assert len(losses) == 3
