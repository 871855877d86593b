import pytest
import torch
from torch import nn

from agdn.training.ema import Ema


def test_average_by_hand() -> None:
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, 0.0)
    ema, expected = Ema(model, 0.5), 0.0
    for step in range(1, 30):
        nn.init.constant_(model.weight, float(step))
        ema.update(model)
        decay = min(0.5, (1 + step) / (10 + step))
        expected = decay * expected + (1 - decay) * step
    assert ema.averages["weight"].item() == pytest.approx(expected, rel=1e-5)


def test_applied_only_while_the_block_runs_even_if_it_fails() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    ema = Ema(model, 0.9)
    own = [parameter.detach().clone() for parameter in model.parameters()]
    for name in ema.averages:
        ema.averages[name] += 1

    def failing() -> None:
        with ema.applied(model):
            assert all(torch.equal(p, ema.averages[name]) for name, p in model.named_parameters())
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    assert all(torch.equal(p, before) for p, before in zip(model.parameters(), own, strict=True))
