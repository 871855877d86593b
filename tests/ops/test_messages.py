import pytest
import torch
from torch import Tensor

from agdn import Graph
from agdn.ops import messages
from agdn.ops.messages import EdgeTerm, gather_messages
from graphs import random_edges

N, E, C, F = 9, 40, 5, 3
KINDS = ["softmax", "semi_softmax", "power", "max", "mean", "sum"]


@pytest.fixture(params=["kernels", "torch"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "torch":
        monkeypatch.setenv("AGDN_KERNELS", "torch")


def rows(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def edge_term() -> EdgeTerm:
    return EdgeTerm(torch.randn(E, F, dtype=torch.float64), rows(C, F), rows(C))


def dense(x: Tensor, edges: Tensor, how: str, scale: float, term: EdgeTerm | None) -> Tensor:
    """Node by node."""
    out = []
    for node in range(N):
        sent = []
        for e in (edges[1] == node).nonzero().flatten().tolist():
            z = x[edges[0, e]]
            z = z if term is None else z + term.weight @ term.attributes[e] + term.bias
            sent.append(z.clamp(min=0) + 1e-7)
        m = torch.stack(sent) if sent else torch.zeros(0, C, dtype=torch.float64)
        if not sent:
            out.append(torch.zeros(C, dtype=torch.float64))
        elif how in ("softmax", "semi_softmax"):
            out.append(((scale * m).softmax(0) * m).sum(0))
        elif how == "power":
            out.append((m**scale).mean(0) ** (1 / scale))
        else:
            out.append({"max": m.amax(0), "mean": m.mean(0), "sum": m.sum(0)}[how])
    return torch.stack(out)


@pytest.mark.parametrize("how", KINDS)
@pytest.mark.parametrize("with_edges", [True, False])
@pytest.mark.parametrize("scale", [0.3, 2.0])
def test_messages_are_gathered(how: str, with_edges: bool, scale: float, path: None) -> None:
    edges, x, term = random_edges(N, E), rows(N, C), edge_term() if with_edges else None
    edges[1][edges[1] == 3] = 4  # a node that nobody sends to
    graph, number = Graph(edges, N), torch.tensor(scale, dtype=torch.float64)
    torch.testing.assert_close(
        gather_messages(x, graph, how, number, term), dense(x, edges, how, scale, term), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("how", [kind for kind in KINDS if kind != "semi_softmax"])
@pytest.mark.parametrize("with_edges", [True, False])
def test_gradients(how: str, with_edges: bool, path: None) -> None:
    term = edge_term() if with_edges else None
    graph, x = Graph(random_edges(N, E), N), rows(N, C)
    scale = torch.tensor(0.7, dtype=torch.float64, requires_grad=how in ("softmax", "power"))

    def gathered(x: Tensor, scale: Tensor, *learned: Tensor) -> Tensor:
        return gather_messages(x, graph, how, scale, None if term is None else EdgeTerm(term.attributes, *learned))

    assert torch.autograd.gradcheck(gathered, (x, scale, *(() if term is None else term[1:])))


@pytest.mark.parametrize("with_edges", [True, False])
def test_the_weights_of_a_semi_softmax_have_no_gradient(with_edges: bool) -> None:
    edges, x, term = random_edges(N, E), rows(N, C), edge_term() if with_edges else None
    graph, up = Graph(edges, N), torch.randn(N, C, dtype=torch.float64)
    scale = torch.tensor(1.3, dtype=torch.float64)
    (gather_messages(x, graph, "semi_softmax", scale, term) * up).sum().backward()
    with torch.no_grad():
        z = x[graph.indices.long()]
        z = z if term is None else z + term.attributes[graph.order.long()] @ term.weight.t() + term.bias
        share = torch.zeros(E, C, dtype=torch.float64)
        for node in range(N):
            here = graph.targets == node
            share[here] = (scale * (z[here].clamp(min=0) + 1e-7)).softmax(0)
        expected = share * (z > 0) * up[graph.targets.long()]
    torch.testing.assert_close(x.grad, torch.zeros_like(x).index_add(0, graph.indices.long(), expected))


def test_a_wide_spread_of_scores_does_not_vanish() -> None:
    """Nodes whose neighbours all score far below the largest score of the graph still have their softmax."""
    edges = torch.tensor([[0, 1, 2, 3], [4, 4, 5, 5]])
    x = torch.tensor([[1.0], [2.0], [500.0], [501.0], [0.0], [0.0]])
    out = gather_messages(x, Graph(edges, 6), "softmax", torch.tensor(1.0))
    expected = torch.tensor([1.0, 2.0]).softmax(0) @ torch.tensor([1.0, 2.0])
    torch.testing.assert_close(out[4:, 0], torch.stack([expected, expected + 499]))


def test_node_rows_and_edges_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, x, scale = Graph(random_edges(N, E), N), rows(N, C), torch.tensor(1.5, dtype=torch.float64)
    quick = gather_messages(x, graph, "softmax", scale)
    monkeypatch.setattr(messages, "WIDEST", 0.0)
    torch.testing.assert_close(gather_messages(x, graph, "softmax", scale), quick)


@pytest.mark.parametrize("how", KINDS)
def test_dropped_edges_send_nothing(how: str) -> None:
    edges, x, scale = random_edges(N, E), rows(N, C), torch.tensor(1.5, dtype=torch.float64)
    mask = torch.arange(E) % 3 > 0
    graph = Graph(edges, N)
    left = edges[:, graph.order.long()[mask]]
    torch.testing.assert_close(
        gather_messages(x, graph.keep(mask), how, scale), dense(x, left, how, 1.5, None), rtol=1e-6, atol=1e-6
    )
