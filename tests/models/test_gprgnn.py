import pytest
import torch

from agdn.models import GPRGNN
from fixed_systems import C, F, features, graph, hops, perceptron, restless


def test_it_is_a_polynomial_of_the_predictions() -> None:
    model = restless(GPRGNN(F, 5, C, hops=4))
    seen = hops(perceptron(model.mlp, features()), 4)
    expected = sum(gamma * hop for gamma, hop in zip(model.filter.gamma, seen, strict=True))
    torch.testing.assert_close(model(features(), graph()), expected)
    expected_slope = torch.stack([hop.sum() for hop in seen])
    (slope,) = torch.autograd.grad(model(features(), graph()).sum(), model.filter.gamma)
    torch.testing.assert_close(slope, expected_slope)


def test_where_gamma_starts() -> None:
    assert GPRGNN(F, 5, C, hops=2, alpha=0.1).filter.gamma.tolist() == pytest.approx([0.1, 0.09, 0.81])
    assert GPRGNN(F, 5, C, hops=2, alpha=1.0).filter.gamma.tolist() == [1.0, 0.0, 0.0]
    assert GPRGNN(F, 5, C, hops=2, alpha=0.0).filter.gamma.tolist() == [0.0, 0.0, 1.0]
    assert float(GPRGNN(F, 5, C, start="random").filter.gamma.abs().sum()) == pytest.approx(1)


def test_wrong_starts_are_named() -> None:
    with pytest.raises(ValueError, match="start must be PPR or random, got 'SGC'"):
        GPRGNN(F, 5, C, start="SGC")
    with pytest.raises(ValueError, match=r"alpha in \[0, 1\], got 2"):
        GPRGNN(F, 5, C, alpha=2)
