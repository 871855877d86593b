import pytest
import torch
from torch_geometric.nn import SSGConv

from agdn.models import SSGC
from fixed_systems import C, F, features, graph, hops, linear, restless


@pytest.mark.parametrize(("count", "alpha"), [(1, 0.0), (4, 0.05), (3, 1.0)])
def test_it_is_a_mean_of_powers(count: int, alpha: float) -> None:
    model, x = restless(SSGC(F, C, hops=count, alpha=alpha)), features()
    mean = sum((1 - alpha) * hop + alpha * x for hop in hops(x, count)[1:]) / count
    torch.testing.assert_close(model(x, graph()), linear(model.linear, mean))


def test_pyg_gives_the_same() -> None:
    model = restless(SSGC(F, C, hops=5, alpha=0.1))
    peer = SSGConv(F, C, alpha=0.1, K=5, add_self_loops=False).double()
    peer.lin.weight.data, peer.lin.bias.data = model.linear.weight.data, model.linear.bias.data
    torch.testing.assert_close(model(features(), graph()), peer(features(), graph().edge_index))


def test_what_makes_no_mean_is_refused() -> None:
    with pytest.raises(ValueError, match=r"hops >= 1 and alpha in \[0, 1\], got 0 and 0.05"):
        SSGC(F, C, hops=0)
