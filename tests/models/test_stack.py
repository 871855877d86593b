"""GCN, GraphSAGE and GAT give the numbers of PyG's layers with the same weights."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.nn import GATConv, GCNConv, SAGEConv

from agdn import Graph
from agdn.models import GAT, GCN, GraphSAGE
from graphs import random_edges, symmetric

N = 12


@pytest.fixture
def graph() -> Graph:
    return Graph(symmetric(random_edges(N, 30)), N).coalesced().with_self_loops()


@pytest.fixture
def x() -> Tensor:
    return torch.randn(N, 5)


def test_gcn(graph: Graph, x: Tensor) -> None:
    model = GCN(5, 7, 3).eval()
    h = x
    for layer, conv in enumerate(model.convs):
        torch.nn.init.normal_(conv.bias)
        peer = GCNConv(conv.in_channels, conv.out_channels, add_self_loops=False)
        peer.lin.weight.data, peer.bias.data = conv.transform.weight.data, conv.bias.data
        h = peer(h if layer == 0 else torch.relu(h), graph.edge_index)
    torch.testing.assert_close(model(x, graph), h)


def test_sage(graph: Graph, x: Tensor) -> None:
    model = GraphSAGE(5, 7, 3).eval()
    h = x
    for layer, conv in enumerate(model.convs):
        peer = SAGEConv(conv.in_channels, conv.out_channels)
        peer.lin_l.weight.data, peer.lin_l.bias.data = conv.transform.weight.data, conv.residual.bias.data
        peer.lin_r.weight.data = conv.residual.weight.data
        h = peer(h if layer == 0 else torch.relu(h), graph.edge_index)
    torch.testing.assert_close(model(x, graph), h)


def test_gat(graph: Graph, x: Tensor) -> None:
    model = GAT(5, 7, 3, heads=4).eval()
    h = x
    for layer, conv in enumerate(model.convs):
        peer = GATConv(conv.in_channels, conv.out_channels, conv.heads, concat=layer == 0, add_self_loops=False)
        peer.lin.weight.data, peer.bias.data = conv.transform.weight.data, conv.bias.data
        peer.att_src.data = conv.transition.source_query.data.unsqueeze(0)
        peer.att_dst.data = conv.transition.target_query.data.unsqueeze(0)
        h = peer(h if layer == 0 else F.elu(h), graph.edge_index)
    torch.testing.assert_close(model(x, graph), h)


@pytest.mark.parametrize("kind", [GCN, GraphSAGE, GAT])
def test_every_parameter_trains_and_resets(kind: type, graph: Graph, x: Tensor) -> None:
    model = kind(5, 7, 3, num_layers=3, norm="batch", dropout=0.2, input_dropout=0.1, edge_dropout=0.1)
    (model.train()(x, graph) * torch.randn(N, 3)).sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())
    before = model.eval()(x, graph)
    model.reset_parameters()
    assert not torch.equal(model(x, graph), before)


def test_a_bare_edge_index_will_do(graph: Graph, x: Tensor) -> None:
    model = GCN(5, 7, 3).eval()
    torch.testing.assert_close(model(x, graph.edge_index), model(x, graph))


def test_wrong_options_are_named() -> None:
    with pytest.raises(ValueError, match="num_layers must be at least 1, got 0"):
        GCN(5, 7, 3, num_layers=0)
    with pytest.raises(ValueError, match="activation must be relu or elu, got 'gelu'"):
        GCN(5, 7, 3, activation="gelu")
