import math

import pytest
import torch
from torch_geometric.nn import GCN2Conv

import reference
from agdn import Graph
from agdn.models import GCNII
from graphs import random_edges, symmetric

N = 12


@pytest.fixture
def graph() -> Graph:
    return Graph(symmetric(random_edges(N, 30)), N).coalesced().with_self_loops()


@pytest.mark.parametrize("two_maps", [True, False])
def test_it_is_pygs_layer(graph: Graph, two_maps: bool) -> None:
    x, model = torch.randn(N, 5), GCNII(5, 6, 3, num_layers=4, alpha=0.2, theta=0.6, two_maps=two_maps).eval()
    h = first = torch.relu(model.input(x))
    for layer, conv in enumerate(model.convs, 1):
        peer = GCN2Conv(6, 0.2, 0.6, layer, shared_weights=not two_maps, add_self_loops=False)
        peer.weight1.data = conv.weight.data[0]
        if two_maps:
            peer.weight2.data = conv.weight.data[1]
        h = torch.relu(peer(h, first, graph.edge_index))
    torch.testing.assert_close(model(x, graph), model.output(h))


def test_the_equation(graph: Graph) -> None:
    x, model = torch.randn(N, 5).double(), GCNII(5, 6, 3, num_layers=3, alpha=0.3, theta=0.4).double().eval()
    a = reference.fixed_transition("sym", graph.edge_index, N)
    h = first = (x @ model.input.weight.t() + model.input.bias).clamp(min=0)
    for layer, conv in enumerate(model.convs, 1):
        beta = math.log(0.4 / layer + 1)
        mixed = (0.7 * a @ h + 0.3 * first) @ ((1 - beta) * torch.eye(6).double() + beta * conv.weight[0])
        h = mixed.clamp(min=0)
    torch.testing.assert_close(model(x, graph), h @ model.output.weight.t() + model.output.bias)


def test_maps_alone_with_a_skip(graph: Graph) -> None:
    x, model = torch.randn(N, 5).double(), GCNII(5, 6, 3, num_layers=2, alpha=0.5, theta=None, two_maps=True, skip=True)
    model.double().eval()
    a = reference.fixed_transition("sym", graph.edge_index, N)
    h = first = torch.relu(model.input(x))
    for conv in model.convs:
        h = torch.relu(0.5 * a @ h @ conv.weight[0] + 0.5 * first @ conv.weight[1]) + h
    torch.testing.assert_close(model(x, graph), model.output(h))
