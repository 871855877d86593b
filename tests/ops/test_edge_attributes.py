import pytest
import torch
from torch import Tensor

from agdn import Graph
from agdn.ops.edge_attributes import attribute_scores, attribute_sums
from graphs import random_edges

N, E, H, F = 8, 30, 2, 3


@pytest.fixture(params=["kernels", "torch"], autouse=True)
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "torch":
        monkeypatch.setenv("AGDN_KERNELS", "torch")


def rows(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def test_scores_of_attributes() -> None:
    edges, attributes, queries = random_edges(N, E), torch.randn(E, F, dtype=torch.float64), rows(N, H, F)
    graph = Graph(edges, N)
    expected = torch.stack([queries[i] @ attributes[e] for e, i in enumerate(edges[1].tolist())])
    torch.testing.assert_close(attribute_scores(queries, attributes, graph), expected[graph.order.long()])
    assert torch.autograd.gradcheck(lambda q: attribute_scores(q, attributes, graph), (queries,))


def test_sums_of_attributes() -> None:
    edges, attributes, weight = random_edges(N, E), torch.randn(E, F, dtype=torch.float64), rows(E, H)
    graph = Graph(edges, N)
    expected = torch.zeros(N, H, F, dtype=torch.float64)
    for place, e in enumerate(graph.order.tolist()):
        expected[edges[1, e]] += weight[place].detach()[:, None] * attributes[e]
    torch.testing.assert_close(attribute_sums(weight, attributes, graph).detach(), expected)
    assert torch.autograd.gradcheck(lambda w: attribute_sums(w, attributes, graph), (weight,))
