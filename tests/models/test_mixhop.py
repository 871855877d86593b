import pytest
import torch
from torch_geometric.nn import MixHopConv as Peer

from agdn.models import MixHop
from fixed_systems import C, F, features, graph, hops, restless


@pytest.mark.parametrize("powers", [(0, 1, 2), (1,), [0, 3], (2, 3)])
def test_distances_lie_side_by_side(powers) -> None:
    model = restless(MixHop(F, 5, C, powers=powers))
    h = features()
    for conv in model.convs:
        seen, weights = hops(h, max(powers)), conv.transform.weight.split(conv.out_channels)
        parts = [seen[p] @ w.t() for p, w in zip(powers, weights, strict=True)]
        h = (torch.cat(parts, 1) + conv.bias).clamp(min=0 if conv is model.convs[0] else -torch.inf)
    share = model.share.softmax(0)
    expected = sum(s * part for s, part in zip(share, h.split(C, dim=1), strict=True))
    torch.testing.assert_close(model(features(), graph()), expected)


def test_pyg_gives_the_same_layer() -> None:
    conv = restless(MixHop(F, 5, C)).convs[0]
    peer = Peer(F, 5, powers=[0, 1, 2], add_self_loops=False).double()
    for lin, weight in zip(peer.lins, conv.transform.weight.split(5), strict=True):
        lin.weight.data = weight.data
    peer.bias.data = conv.bias.data
    torch.testing.assert_close(conv(features(), graph()), peer(features(), graph().edge_index))


@pytest.mark.parametrize("powers", [(), (1, 0), (0, 0), (-1, 0)])
def test_powers_rise(powers: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="powers of MixHop must rise"):
        MixHop(F, 5, C, powers=powers)
