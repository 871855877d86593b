import pytest
import torch
from torch_geometric.nn import GENConv as PyGsGENConv

from agdn import Graph
from agdn.models import DeeperGCN, RevGNN
from graphs import random_edges, symmetric

N, WIDTH = 12, 6


@pytest.fixture
def graph() -> Graph:
    return Graph(symmetric(random_edges(N, 30)), N).coalesced().with_self_loops()


def peer(conv: torch.nn.Module, gathering: str, edges: bool) -> PyGsGENConv:
    """PyG's layer with the same weights; edges come to it encoded."""
    layer = PyGsGENConv(
        WIDTH, WIDTH, aggr=gathering, t=0.7, p=1.5, norm="layer", num_layers=2,
        bias=True, edge_dim=WIDTH if edges else None,
    )  # fmt: skip
    if gathering == "power":
        layer.aggr_module.min_value = 0.0  # PyG cuts messages off at 1e-4
    layer.mlp = conv.mlp  # PyG's own would normalise over all nodes at once
    return layer


@pytest.mark.parametrize("gathering", ["softmax", "power", "max", "mean"])
@pytest.mark.parametrize("edges", [True, False])
def test_it_is_pygs_layers_in_residual_blocks(graph: Graph, gathering: str, edges: bool) -> None:
    scale = 1.5 if gathering == "power" else 0.7
    model = DeeperGCN(
        5, WIDTH, 3, num_layers=3, gathering=gathering, scale=scale, mlp_layers=2, norm="layer",
        edge_dim=4 if edges else None,
    ).double().eval()  # fmt: skip
    x, edge_attr = torch.randn(N, 5).double(), torch.rand(graph.num_edges, 4).double()

    def layer(conv: torch.nn.Module, h: torch.Tensor) -> torch.Tensor:
        own = conv.edge(model.edge_encoder(edge_attr)) if edges else None
        return peer(conv, gathering, edges)(h, graph.edge_index, own)

    h = layer(model.first, model.input(x))
    for block in model.blocks:
        h = h + layer(block.conv, torch.relu(block.norm(h)))
    expected = model.output(torch.relu(model.norm(h)))
    out = model(x, graph, edge_attr if edges else None)
    torch.testing.assert_close(out, expected, rtol=1e-5, atol=1e-5)


def test_rev_gnn_is_the_same_layers_in_groups(graph: Graph) -> None:
    model = RevGNN(5, 2 * WIDTH, 3, num_layers=2, scale=0.7, mlp_layers=2).double().eval()
    x = torch.randn(N, 5).double()
    one, two = model.input(x).chunk(2, dim=1)
    for first, second in model.blocks.blocks:
        one = one + peer(first.conv, "softmax", False)(torch.relu(first.norm(two)), graph.edge_index)
        two = two + peer(second.conv, "softmax", False)(torch.relu(second.norm(one)), graph.edge_index)
    expected = model.output(torch.relu(model.norm(torch.cat([one, two], 1))))
    torch.testing.assert_close(model(x, graph), expected, rtol=1e-5, atol=1e-5)


def test_rev_gnn_of_means(graph: Graph) -> None:
    from torch_geometric.nn import SAGEConv

    model = RevGNN(5, 2 * WIDTH, 3, num_layers=2, conv="sage").eval()
    x = torch.randn(N, 5)
    one, two = model.input(x).chunk(2, dim=1)

    def layer(block: torch.nn.Module, h: torch.Tensor) -> torch.Tensor:
        sage = SAGEConv(WIDTH, WIDTH)
        sage.lin_l.weight.data, sage.lin_l.bias.data = block.conv.transform.weight.data, block.conv.residual.bias.data
        sage.lin_r.weight.data = block.conv.residual.weight.data
        return sage(torch.relu(block.norm(h)), graph.edge_index)

    for first, second in model.blocks.blocks:
        one = one + layer(first, two)
        two = two + layer(second, one)
    torch.testing.assert_close(model(x, graph), model.output(torch.relu(model.norm(torch.cat([one, two], 1)))))
