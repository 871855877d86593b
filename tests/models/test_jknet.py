import pytest
import torch
from torch_geometric.nn import GCNConv, JumpingKnowledge

from agdn import Graph
from agdn.models import JKNet
from graphs import random_edges, symmetric

N = 12


@pytest.mark.parametrize("jump", ["concat", "max", "lstm"])
def test_it_is_pygs_layers_and_jump(jump: str) -> None:
    graph = Graph(symmetric(random_edges(N, 30)), N).coalesced().with_self_loops()
    x, model = torch.randn(N, 5), JKNet(5, 6, 3, num_layers=3, jump=jump).eval()
    states, h = [], x
    for conv in model.convs:
        torch.nn.init.normal_(conv.bias)
        peer = GCNConv(conv.in_channels, conv.out_channels, add_self_loops=False)
        peer.lin.weight.data, peer.bias.data = conv.transform.weight.data, conv.bias.data
        h = torch.relu(peer(h, graph.edge_index))
        states.append(h)
    peer_jump = JumpingKnowledge({"concat": "cat"}.get(jump, jump), 6, 3)
    if model.attention is not None:
        peer_jump.load_state_dict(model.attention.state_dict())
    torch.testing.assert_close(model(x, graph), model.output(peer_jump(states)))
