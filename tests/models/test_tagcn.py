import torch
from torch_geometric.nn import TAGConv

from agdn.models import TAGCN
from fixed_systems import C, F, features, graph, hops, linear, restless


def test_a_linear_map_for_every_power() -> None:
    model = restless(TAGCN(F, 20, C, hops=2))
    h = features()
    for number, conv in enumerate(model.convs):
        h = sum(linear(w, hop) for w, hop in zip(conv.transforms, hops(h, 2), strict=True)) + conv.bias
        h = h.clamp(min=0) if number == 0 else h
    torch.testing.assert_close(model(features(), graph()), h)


def test_pyg_gives_the_same() -> None:
    model = restless(TAGCN(F, 20, C, hops=3))
    h = features()
    for number, conv in enumerate(model.convs):
        peer = TAGConv(conv.in_channels, conv.out_channels, K=3).double()
        for mine, theirs in zip(conv.transforms, peer.lins, strict=True):
            theirs.weight.data = mine.weight.data
        peer.bias.data = conv.bias.data
        h = peer(h if number == 0 else h.relu(), graph().edge_index)
    torch.testing.assert_close(model(features(), graph()), h)
