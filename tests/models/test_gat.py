import torch
import torch.nn.functional as F
from torch_geometric.nn import GATConv

from agdn import Graph
from agdn.models import GAT
from graphs import random_edges, symmetric

N = 12


def test_pyg_gives_the_same() -> None:
    graph, x = Graph(symmetric(random_edges(N, 30)), N).with_self_loops(), torch.randn(N, 5)
    model = GAT(5, 7, 3, heads=4).eval()
    h = x
    for layer, conv in enumerate(model.convs):
        peer = GATConv(conv.in_channels, conv.out_channels, conv.heads, concat=layer == 0, add_self_loops=False)
        peer.lin.weight.data, peer.bias.data = conv.transform.weight.data, conv.bias.data
        peer.att_src.data = conv.transition.source_query.data.unsqueeze(0)
        peer.att_dst.data = conv.transition.target_query.data.unsqueeze(0)
        h = peer(h if layer == 0 else F.elu(h), graph.edge_index)
    torch.testing.assert_close(model(x, graph), h)
