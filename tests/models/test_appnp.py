import pytest
import torch
from torch_geometric.nn import APPNP as Peer

from agdn.models import APPNP
from fixed_systems import C, F, features, graph, hops, perceptron, restless


@pytest.mark.parametrize(("count", "alpha"), [(0, 0.1), (1, 0.3), (5, 0.1)])
def test_predictions_spread_by_pagerank(count: int, alpha: float) -> None:
    model = restless(APPNP(F, 5, C, hops=count, alpha=alpha))
    start = perceptron(model.mlp, features())
    z = start
    for _ in range(count):
        z = (1 - alpha) * hops(z, 1)[1] + alpha * start
    torch.testing.assert_close(model(features(), graph()), z)
    peer = Peer(K=count, alpha=alpha, add_self_loops=False)
    torch.testing.assert_close(model(features(), graph()), peer(start, graph().edge_index))


def test_dropped_entries_are_drawn_for_every_hop_and_right_on_average() -> None:
    model = restless(APPNP(F, 5, C, hops=1, alpha=0.2, hop_dropout=0.5))
    expected = model(features(), graph())
    model.train()
    torch.manual_seed(0)
    drawn = torch.stack([model(features(), graph()) for _ in range(600)])
    assert not torch.equal(drawn[0], drawn[1])
    away = (drawn.mean(0) - expected).detach().abs()
    assert bool((away < 6 * drawn.detach().std(0) / 600**0.5 + 1e-9).all())


def test_a_restart_needs_a_share() -> None:
    with pytest.raises(ValueError, match="restart probability alpha"):
        APPNP(F, 5, C, alpha=0.0)
