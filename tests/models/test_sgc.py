import pytest
import torch
from torch_geometric.nn import SGConv

from agdn.models import SGC
from fixed_systems import C, F, features, graph, hops, linear, restless


@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("transition", ["sym", "row"])
def test_it_is_a_power_and_a_linear_map(count: int, transition: str) -> None:
    model = restless(SGC(F, C, hops=count, transition=transition))
    expected = linear(model.linear, hops(features(), count, transition)[-1])
    torch.testing.assert_close(model(features(), graph()), expected)


def test_pyg_gives_the_same() -> None:
    model, peer = restless(SGC(F, C)), SGConv(F, C, K=2, add_self_loops=False).double()
    peer.lin.weight.data, peer.lin.bias.data = model.linear.weight.data, model.linear.bias.data
    torch.testing.assert_close(model(features(), graph()), peer(features(), graph().edge_index))


def test_negative_hops_are_refused() -> None:
    with pytest.raises(ValueError, match="hops must not be negative, got -1"):
        SGC(F, C, hops=-1)
