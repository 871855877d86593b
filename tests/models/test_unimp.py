import pytest
import torch
from torch import Tensor
from torch_geometric.nn import TransformerConv

from agdn import Graph
from agdn.models import UniMP
from agdn.nn.graph_transformer import GraphTransformerConv
from graphs import random_edges, symmetric

N = 12


@pytest.fixture
def graph() -> Graph:
    return Graph(symmetric(random_edges(N, 30)), N).coalesced().with_self_loops()


@pytest.mark.parametrize("edges", [True, False])
@pytest.mark.parametrize("concat", [True, False])
def test_a_layer_is_pygs(graph: Graph, edges: bool, concat: bool) -> None:
    ours = GraphTransformerConv(5, 4, 2, concat=concat)
    peer = TransformerConv(5, 4, 2, concat=concat, edge_dim=3 if edges else None)
    for mine, name in (("query", "query"), ("key", "key"), ("value", "value"), ("skip", "skip")):
        getattr(peer, f"lin_{name}").load_state_dict(getattr(ours, mine).state_dict())
    x, edge_attr = torch.randn(N, 5), torch.rand(graph.num_edges, 3)
    signals = (edge_attr, peer.lin_edge.weight, torch.zeros(8)) if edges else ()
    expected = peer(x, graph.edge_index, edge_attr if edges else None)
    torch.testing.assert_close(ours(x, graph, *signals), expected, rtol=1e-4, atol=1e-5)


def test_the_equation_with_gate_and_bias_of_edges(graph: Graph) -> None:
    layer = GraphTransformerConv(5, 4, 2, gate=True).double()
    x, edge_attr = torch.randn(N, 5).double(), torch.rand(graph.num_edges, 3).double()
    edge_map, edge_bias = torch.randn(8, 3).double(), torch.randn(8).double()
    query, key, value = (part(x).view(N, 2, 4) for part in (layer.query, layer.key, layer.value))
    out = torch.zeros(N, 2, 4).double()
    for node in range(N):
        into = (graph.edge_index[1] == node).nonzero().flatten()
        e = (edge_attr[into] @ edge_map.t() + edge_bias).view(-1, 2, 4)
        sources = graph.edge_index[0, into]
        a = ((query[node] * (key[sources] + e)).sum(-1) / 2).softmax(0)
        out[node] = (a.unsqueeze(-1) * (value[sources] + e)).sum(0)
    out, skip = out.flatten(1), layer.skip(x)
    g = torch.sigmoid(layer.gate(torch.cat([skip, out, out - skip], 1)))
    torch.testing.assert_close(layer(x, graph, edge_attr, edge_map, edge_bias), (1 - g) * out + g * skip)


def with_labels(shown: Tensor) -> Tensor:
    return torch.cat([torch.ones(N, 5), shown], dim=1)


@pytest.mark.parametrize("encoder", [True, False])
def test_labels_that_are_shown_are_added_to_the_features(graph: Graph, encoder: bool) -> None:
    model = UniMP(8, 4, 3, label_input=True, encoder=encoder).eval()
    bare = UniMP(5, 4, 3, encoder=encoder).eval()
    bare.load_state_dict({k: v for k, v in model.state_dict().items() if not k.startswith("labels")})
    nothing = torch.zeros(N, 3)
    torch.testing.assert_close(model(with_labels(nothing), graph), bare(torch.ones(N, 5), graph))
    one = nothing.clone()
    one[4, 1] = 1
    assert not torch.allclose(model(with_labels(one), graph), model(with_labels(nothing), graph))


def test_without_labels_it_is_a_stack_of_layers(graph: Graph) -> None:
    model, x = UniMP(5, 4, 3, num_layers=2, gate="all").eval(), torch.randn(N, 5)
    h = torch.relu(model.norms[0](model.convs[0](x, graph)))
    torch.testing.assert_close(model(x, graph), model.output(h, graph))
    assert model.convs[0].gate is not None
