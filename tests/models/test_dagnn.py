import pytest
import torch

from agdn.models import DAGNN
from fixed_systems import C, F, features, graph, hops, perceptron, restless


@pytest.mark.parametrize("count", [0, 1, 4])
def test_each_node_takes_of_each_hop_what_its_gate_lets_through(count: int) -> None:
    model = restless(DAGNN(F, 5, C, hops=count))
    expected = sum(
        torch.sigmoid(hop @ model.gate.weight.t() + model.gate.bias) * hop
        for hop in hops(perceptron(model.mlp, features()), count)
    )
    torch.testing.assert_close(model(features(), graph()), expected)
    slopes = [
        torch.autograd.grad(out.square().sum(), list(model.parameters()))
        for out in (model(features(), graph()), expected)
    ]
    for ours, theirs in zip(*slopes, strict=True):
        torch.testing.assert_close(ours, theirs)
