import math

import pytest
import torch

from agdn.tasks.link_losses import LINK_LOSSES, needs_weight

P = torch.tensor([0.5, -1.0])
Q = torch.tensor([[0.2, 1.0, -0.5], [0.0, 2.0, -2.0]])
W = torch.tensor([2.0, 0.5])


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def by_hand(name: str) -> float:
    """The table of formulas, number by number."""
    leads = [(float(w), float(p - q)) for w, p, row in zip(W, P, Q, strict=True) for q in row]
    match name:
        case "cross_entropy":
            positive = [-math.log(sigmoid(float(p)) + 1e-15) for p in P]
            negative = [-math.log(1 - sigmoid(float(q)) + 1e-15) for q in Q.flatten()]
            return sum(positive) / 2 + sum(negative) / 6
        case "weighted_cross_entropy":
            return sum(
                float(w) * (-math.log(sigmoid(float(p))) - sum(math.log(1 - sigmoid(float(q))) for q in row) / 3)
                for w, p, row in zip(W, P, Q, strict=True)
            ) / 2  # fmt: skip
        case "auc":
            return sum((1 - d) ** 2 for _, d in leads)
        case "hinge_auc":
            return sum(max(0, 1 - d) ** 2 for _, d in leads)
        case "weighted_auc":
            return sum(w * (1 - d) ** 2 for w, d in leads)
        case "adaptive_auc":
            return sum((w - d) ** 2 for w, d in leads)
        case "weighted_hinge_auc":
            return sum(w * max(0, w - d) ** 2 for w, d in leads)
        case "adaptive_hinge_auc":
            return sum(max(0, w - d) ** 2 for w, d in leads)
        case "log_rank":
            return sum(-math.log(sigmoid(d) + 1e-15) for _, d in leads) / 6
        case _:
            each = [math.exp(p) / (math.exp(p) + sum(math.exp(q) for q in row)) for p, row in zip(P, Q, strict=True)]
            return sum(-math.log(value + 1e-15) for value in each) / 2


@pytest.mark.parametrize("name", LINK_LOSSES)
def test_each_is_its_formula(name: str) -> None:
    loss = LINK_LOSSES[name](P, Q, W if needs_weight(name) else None)
    assert float(loss) == pytest.approx(by_hand(name), rel=1e-6)


@pytest.mark.parametrize("name", [name for name in LINK_LOSSES if needs_weight(name)])
def test_weights_are_needed(name: str) -> None:
    with pytest.raises(ValueError, match="needs the weights of the positives"):
        LINK_LOSSES[name](P, Q, None)


@pytest.mark.parametrize("name", ["cross_entropy", "log_rank", "info_nce"])
def test_sure_mistakes_stay_finite(name: str) -> None:
    positive = torch.full((2,), -200.0, requires_grad=True)
    loss = LINK_LOSSES[name](positive, torch.full((2, 1), 200.0), None)
    (gradient,) = torch.autograd.grad(loss, positive)
    assert math.isfinite(float(loss.detach()))
    assert bool(gradient.isfinite().all())
    assert bool((gradient < 0).all())
