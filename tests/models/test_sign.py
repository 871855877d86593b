import pytest
import torch

from agdn.models import SIGN
from fixed_systems import C, F, features, graph, hops, linear, restless


def prelu(x, slope):
    return torch.where(x > 0, x, slope * x)


@pytest.mark.parametrize("transition", ["sym", "row"])
def test_one_layer_for_every_hop_and_one_for_all(transition: str) -> None:
    model = restless(SIGN(F, 5, C, hops=2, transition=transition))
    seen = [linear(b.layers[0], hop) for b, hop in zip(model.branches, hops(features(), 2, transition), strict=True)]
    expected = linear(model.output.layers[0], prelu(torch.cat(seen, 1), model.activation.weight))
    torch.testing.assert_close(model(features(), graph()), expected)


def test_networks_of_two_layers() -> None:
    model = restless(SIGN(F, 5, C, hops=1, num_layers=2, transition="row"))
    seen = [
        linear(branch.layers[1], prelu(linear(branch.layers[0], hop), branch.activation.weight))
        for branch, hop in zip(model.branches, hops(features(), 1, "row"), strict=True)
    ]
    joined = prelu(torch.cat(seen, 1), model.activation.weight)
    hidden = prelu(linear(model.output.layers[0], joined), model.output.activation.weight)
    torch.testing.assert_close(model(features(), graph()), linear(model.output.layers[1], hidden))


def test_a_network_needs_a_layer() -> None:
    with pytest.raises(ValueError, match="num_layers must be at least 1, got 0"):
        SIGN(F, 5, C, num_layers=0)
