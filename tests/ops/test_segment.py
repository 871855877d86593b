import pytest
import torch
from torch_geometric.utils import softmax

from agdn import Graph
from agdn.ops import softmax_over_sources, softmax_over_targets, sum_over_sources, sum_over_targets
from agdn.ops.segment import segment_softmax
from graphs import AWKWARD


@pytest.mark.parametrize("name", AWKWARD)
def test_softmax_equals_pygs(name: str) -> None:
    graph = Graph(*AWKWARD[name])
    scores = torch.randn(graph.num_edges, 3, dtype=torch.float64, requires_grad=True)
    for ours, index in ((softmax_over_targets, graph.targets), (softmax_over_sources, graph.indices)):
        got, expected = ours(scores, graph), softmax(scores, index.long())
        torch.testing.assert_close(got, expected)
        probe = torch.randn_like(got)
        for a, b in zip(
            torch.autograd.grad((got * probe).sum(), scores),
            torch.autograd.grad((expected * probe).sum(), scores),
            strict=True,
        ):
            torch.testing.assert_close(a, b)


def test_large_scores_do_not_overflow_and_nan_stays_in_its_group() -> None:
    graph = Graph(torch.tensor([[0, 1, 2, 0], [0, 0, 1, 1]]), 3)
    scores = torch.tensor([[1e4], [1e4 + 1], [float("nan")], [0.0]])
    weights = softmax_over_targets(scores, graph)
    torch.testing.assert_close(weights[:2].squeeze(1), torch.tensor([0.0, 1.0]).softmax(0))
    assert weights[2:].isnan().all()


def test_sums() -> None:
    graph = Graph(*AWKWARD["directed"])
    values = torch.randn(graph.num_edges, 2)
    into, out_of = torch.zeros(7, 2), torch.zeros(7, 2)
    for e in range(graph.num_edges):
        into[graph.targets[e]] += values[e]
        out_of[graph.indices[e]] += values[e]
    torch.testing.assert_close(sum_over_targets(values, graph), into)
    torch.testing.assert_close(sum_over_sources(values, graph), out_of)


def test_opcheck() -> None:
    graph = Graph(*AWKWARD["directed"])
    scores = torch.randn(graph.num_edges, 3, requires_grad=True)
    torch.library.opcheck(segment_softmax, (scores, graph.indptr, None))
    torch.library.opcheck(segment_softmax, (scores, graph.transposed.indptr, graph.transposed.order))
