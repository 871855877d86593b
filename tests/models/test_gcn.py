import torch
from torch_geometric.nn import GCNConv

from agdn import Graph
from agdn.models import GCN
from graphs import random_edges, symmetric

N = 12


def test_pyg_gives_the_same() -> None:
    graph, x = Graph(symmetric(random_edges(N, 30)), N).with_self_loops(), torch.randn(N, 5)
    model = GCN(5, 7, 3).eval()
    h = x
    for layer, conv in enumerate(model.convs):
        torch.nn.init.normal_(conv.bias)
        peer = GCNConv(conv.in_channels, conv.out_channels, add_self_loops=False)
        peer.lin.weight.data, peer.bias.data = conv.transform.weight.data, conv.bias.data
        h = peer(h if layer == 0 else torch.relu(h), graph.edge_index)
    torch.testing.assert_close(model(x, graph), h)
