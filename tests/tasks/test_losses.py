import math
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from agdn.tasks.losses import EPSILON, LOSSES, Loss


def mean_of(loss: Loss) -> Callable[..., Tensor]:
    return lambda outputs, y, weight=None, smoothing=0.0: loss(outputs, y, weight, smoothing).mean()


MEANS = {target: {name: mean_of(loss) for name, loss in losses.items()} for target, losses in LOSSES.items()}
cross_entropy, loge, savage, loge_savage = MEANS["class"].values()
binary_cross_entropy, binary_loge, *_ = MEANS["multilabel"].values()
mse, mae, huber = MEANS["numeric"].values()


def test_loge_is_zero_where_the_cross_entropy_is_and_has_slope_one_over_epsilon() -> None:
    y = torch.tensor([0])
    assert loge(torch.tensor([[60.0, 0.0]]), y).item() == pytest.approx(0.0, abs=1e-6)
    logits = torch.tensor([[9.0, 0.0]], dtype=torch.float64)
    small = cross_entropy(logits, y).item()
    assert loge(logits, y).item() == pytest.approx(small / EPSILON, rel=1e-3)


def test_loge_of_each_node() -> None:
    logits, y = torch.randn(20, 5, dtype=torch.float64), torch.randint(5, (20,))
    each = F.cross_entropy(logits, y, reduction="none")
    expected = torch.stack([torch.log(EPSILON + loss) - math.log(EPSILON) for loss in each]).mean()
    torch.testing.assert_close(loge(logits, y), expected)


def test_each_reshaping_against_numbers_worked_out_by_hand() -> None:
    logits, y = torch.tensor([[math.log(3.0), 0.0]], dtype=torch.float64), torch.tensor([0])
    entropy = math.log(4 / 3)  # the right class has probability 3/4
    assert cross_entropy(logits, y).item() == pytest.approx(entropy)
    assert loge(logits, y).item() == pytest.approx(math.log(1 - math.log(2) + entropy) - math.log(1 - math.log(2)))
    assert savage(logits, y).item() == pytest.approx(1 / 16)  # (1 - 3/4)^2
    assert loge_savage(logits, y).item() == pytest.approx(math.log(1 + 1 / 16 / (1 - math.log(2))))
    answer, yes = torch.tensor([[math.log(3.0)]], dtype=torch.float64), torch.ones(1, 1, dtype=torch.float64)
    binary = {name: loss(answer, yes, None, 0.0).item() for name, loss in MEANS["multilabel"].items()}
    assert binary["binary_cross_entropy"] == pytest.approx(entropy)
    assert binary["binary_savage"] == pytest.approx(1 / 16)
    assert binary["binary_loge"] == pytest.approx(loge(logits, y).item())
    assert binary["binary_loge_savage"] == pytest.approx(loge_savage(logits, y).item())


@pytest.mark.parametrize("loss", [cross_entropy, loge, savage])
def test_class_weights_act_as_repeated_nodes(loss) -> None:
    logits, y = torch.randn(12, 3, dtype=torch.float64), torch.arange(12) % 3
    repeated = torch.cat([torch.arange(12), (y == 2).nonzero().squeeze(1)])
    weighted = loss(logits, y, torch.tensor([1.0, 1.0, 2.0], dtype=torch.float64))
    torch.testing.assert_close(weighted, loss(logits[repeated], y[repeated]))


@pytest.mark.parametrize("target", LOSSES)
def test_node_weights_act_as_repeated_nodes(target: str) -> None:
    outputs = torch.randn(12, 3 if target != "numeric" else 1, dtype=torch.float64)
    y = {"class": torch.arange(12) % 3, "multilabel": (outputs > 0.3).double(), "numeric": outputs[:, 0].cos()}[target]
    class_weight = None if target == "numeric" else torch.tensor([1.0, 3.0, 2.0], dtype=torch.float64)
    if target == "multilabel":
        y[4, 1] = torch.nan
    times = torch.arange(12) % 4
    repeated = torch.arange(12).repeat_interleave(times)
    for loss in LOSSES[target].values():
        weighted = loss(outputs, y, class_weight, 0.0).mean(0.1 * times)
        torch.testing.assert_close(weighted, loss(outputs[repeated], y[repeated], class_weight, 0.0).mean())


@pytest.mark.parametrize("loss", [binary_cross_entropy, binary_loge])
def test_unknown_entries_do_not_count(loss) -> None:
    logits = torch.randn(30, 4, dtype=torch.float64, requires_grad=True)
    y = torch.randint(2, (30, 4)).double()
    unknown = torch.rand(30, 4) < 0.3
    y[unknown] = torch.nan
    value = loss(logits, y)
    (grad,) = torch.autograd.grad(value, logits)
    assert bool((grad[unknown] == 0).all())
    assert bool((grad[~unknown] != 0).all())
    if loss is binary_cross_entropy:
        expected = F.binary_cross_entropy_with_logits(logits[~unknown], y[~unknown])
        torch.testing.assert_close(value, expected)


def test_weights_of_positives() -> None:
    logits, y = torch.zeros(2, 1), torch.tensor([[1.0], [0.0]])
    plain, weighted = binary_cross_entropy(logits, y), binary_cross_entropy(logits, y, torch.tensor([3.0]))
    assert weighted.item() == pytest.approx(2 * plain.item())


def test_smoothing_moves_the_optimum_inwards() -> None:
    y = torch.ones(1, 1)
    sure, unsure = torch.tensor([[9.0]]), torch.tensor([[math.log(0.95 / 0.05)]])
    assert binary_cross_entropy(unsure, y, None, 0.1) < binary_cross_entropy(sure, y, None, 0.1)
    assert binary_cross_entropy(unsure, y) > binary_cross_entropy(sure, y)


def test_numbers() -> None:
    outputs, y = torch.tensor([[1.0], [5.0]]), torch.tensor([0.0, 2.0])
    assert mse(outputs, y).item() == 5.0
    assert mae(outputs, y).item() == 2.0
    assert huber(outputs, y).item() == pytest.approx((0.5 + 2.5) / 2)


def test_every_loss_has_a_gradient_at_zero_outputs() -> None:
    y = {"class": torch.tensor([0, 1, 1]), "multilabel": torch.tensor([[1.0], [0.0], [0.0]]), "numeric": torch.ones(3)}
    for target, losses in MEANS.items():
        for name, loss in losses.items():
            outputs = torch.zeros(3, 2 if target == "class" else 1, requires_grad=True)
            (grad,) = torch.autograd.grad(loss(outputs, y[target], None, 0.0), outputs)
            assert grad.abs().sum() > 0, name
