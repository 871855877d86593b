import pytest
import torch
from torch import nn

from agdn.models import MLP


def test_it_is_the_layers_one_after_another() -> None:
    model = MLP(5, 7, 3, num_layers=3, norm="layer").eval()
    x = torch.randn(10, 5)
    first = torch.relu(model.norms[0](model.layers[0](x)))
    second = torch.relu(model.norms[1](model.layers[1](first)))
    torch.testing.assert_close(model(x), model.layers[2](second))


def test_the_graph_does_not_matter() -> None:
    model = MLP(5, 7, 3).eval()
    x = torch.randn(4, 5)
    assert torch.equal(model(x, torch.tensor([[0, 1], [1, 2]])), model(x))


def test_dropout_acts_in_training_only() -> None:
    model = MLP(5, 64, 3, dropout=0.5, input_dropout=0.2)
    x = torch.randn(4, 5)
    assert not torch.equal(model.train()(x), model(x))
    assert torch.equal(model.eval()(x), model(x))


def test_one_layer_is_linear() -> None:
    model = MLP(5, 7, 3, num_layers=1)
    assert [isinstance(layer, nn.Linear) for layer in model.layers] == [True]
    with pytest.raises(ValueError, match="num_layers must be at least 1"):
        MLP(5, 7, 3, num_layers=0)
