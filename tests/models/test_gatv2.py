import pytest
import torch
import torch.nn.functional as F
from torch_geometric.nn import GATv2Conv

from agdn import Graph
from agdn.models import GATv2
from graphs import random_edges, symmetric

N = 12


@pytest.mark.parametrize("share_weights", [True, False])
def test_it_is_pygs_layer(share_weights: bool) -> None:
    graph = Graph(symmetric(random_edges(N, 30)), N).coalesced().with_self_loops()
    x, model = torch.randn(N, 5), GATv2(5, 7, 3, heads=4, share_weights=share_weights).eval()
    h = x
    for layer, conv in enumerate(model.convs):
        peer = GATv2Conv(
            conv.in_channels, conv.out_channels, conv.heads, concat=layer == 0, add_self_loops=False,
            share_weights=share_weights,
        )  # fmt: skip
        peer.lin_l.weight.data, peer.bias.data = conv.transform.weight.data, conv.bias.data
        peer.lin_l.bias.data.zero_()
        peer.lin_r.bias.data.zero_()
        if not share_weights:
            peer.lin_r.weight.data = conv.transition.target.weight.data
        peer.att.data = conv.transition.vector.data.unsqueeze(0)
        h = peer(h if layer == 0 else F.elu(h), graph.edge_index)
    torch.testing.assert_close(model(x, graph), h, rtol=1e-4, atol=1e-5)


def test_in_blocks_of_rows() -> None:
    from agdn.ops.storage import Storage

    graph = Graph(random_edges(N, 40), N).with_self_loops()
    x, model = torch.randn(N, 5), GATv2(5, 7, 3, heads=2, residual=True, norm="batch").eval()
    out, _ = model.in_blocks(x, graph, storage=Storage())
    torch.testing.assert_close(out, model(x, graph), rtol=1e-4, atol=1e-5)


def test_edge_weights_count_edges() -> None:
    edges = torch.tensor([[0, 1, 1], [2, 2, 2]])
    model = GATv2(5, 4, 3, heads=2, num_layers=1).eval()
    x = torch.randn(3, 5)
    twice = model(x, Graph(edges, 3))
    weighted = model(x, Graph(edges[:, :2], 3), None, torch.tensor([1.0, 2.0]))
    torch.testing.assert_close(weighted, twice)
