import torch
from torch_geometric.nn import SAGEConv

from agdn import Graph
from agdn.models import GraphSAGE
from graphs import random_edges, symmetric

N = 12


def test_pyg_gives_the_same() -> None:
    graph, x = Graph(symmetric(random_edges(N, 30)), N).with_self_loops(), torch.randn(N, 5)
    model = GraphSAGE(5, 7, 3).eval()
    h = x
    for layer, conv in enumerate(model.convs):
        peer = SAGEConv(conv.in_channels, conv.out_channels)
        peer.lin_l.weight.data, peer.lin_l.bias.data = conv.transform.weight.data, conv.residual.bias.data
        peer.lin_r.weight.data = conv.residual.weight.data
        h = peer(h if layer == 0 else torch.relu(h), graph.edge_index)
    torch.testing.assert_close(model(x, graph), h)
