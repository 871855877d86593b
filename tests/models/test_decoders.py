import pytest
import torch
import torch.nn.functional as F

from agdn.models import DECODERS
from agdn.part import build

PAIRS = torch.tensor([[0, 2, 5], [1, 2, 4]])


def decoder(name: str, **options):
    torch.manual_seed(0)
    return build("decoder", DECODERS, {"name": name, **options}, in_channels=4)


def test_each_is_its_formula() -> None:
    h = torch.randn(6, 4)
    u, v = h[PAIRS[0]], h[PAIRS[1]]
    torch.testing.assert_close(decoder("dot")(h, PAIRS), (u * v).sum(1))
    torch.testing.assert_close(decoder("cosine", scale=3.0)(h, PAIRS), 3 * F.cosine_similarity(u, v))
    bilinear = decoder("bilinear")
    torch.testing.assert_close(bilinear(h, PAIRS), ((u @ bilinear.weight) * v).sum(1))
    mlp = decoder("mlp", num_layers=2).eval()
    first, last = mlp.layers
    torch.testing.assert_close(mlp(h, PAIRS), last(first(u * v).relu()).squeeze(1))


@pytest.mark.parametrize("name", ["mlp", "dot", "cosine"])
def test_symmetric_ones_ignore_direction(name: str) -> None:
    h, made = torch.randn(6, 4), decoder(name).eval()
    torch.testing.assert_close(made(h, PAIRS), made(h, PAIRS.flip(0)))


@pytest.mark.parametrize("name", DECODERS)
def test_all_train_and_reset(name: str) -> None:
    made, h = decoder(name), torch.randn(6, 4, requires_grad=True)
    made(h, PAIRS).sum().backward()
    assert h.grad is not None
    assert all(parameter.grad is not None for parameter in made.parameters())
    before = [parameter.clone() for parameter in made.parameters()]
    torch.manual_seed(3)
    made.reset_parameters()
    assert [p.shape for p in made.parameters()] == [p.shape for p in before]


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match="unknown decoder 'mpl': did you mean 'mlp'"):
        decoder("mpl")
    with pytest.raises(ValueError, match="num_layers must be at least 1"):
        decoder("mlp", num_layers=0)
    with pytest.raises(ValueError, match="scale must be above 0"):
        decoder("cosine", scale=0)
