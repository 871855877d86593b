import torch
from torch_geometric.nn import ChebConv

from agdn.graph import Graph
from agdn.models import ChebNet
from fixed_systems import C, F, N, features, restless
from graphs import random_edges, symmetric


def test_pyg_gives_the_same() -> None:
    graph = Graph(symmetric(random_edges(N, 40)), N)
    model = restless(ChebNet(F, 20, C, hops=4))
    h = features()
    for number, conv in enumerate(model.convs):
        peer = ChebConv(conv.in_channels, conv.out_channels, K=5, normalization="sym").double()
        for mine, theirs in zip(conv.transforms, peer.lins, strict=True):
            theirs.weight.data = mine.weight.data
        peer.bias.data = conv.bias.data
        h = peer(h if number == 0 else h.relu(), graph.edge_index, lambda_max=2.0)
    torch.testing.assert_close(model(features(), graph), h)
