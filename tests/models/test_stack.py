import pytest
import torch
from torch import Tensor

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
