import itertools

import pytest
import torch

from agdn import Graph
from agdn.ops import edge_scores
from agdn.ops.scores import edge_scores_op
from graphs import AWKWARD


@pytest.mark.parametrize("name", AWKWARD)
def test_equals_the_torch_path(monkeypatch, name: str) -> None:
    graph = Graph(*AWKWARD[name])
    for with_target, with_edge in itertools.product((False, True), repeat=2):
        source = torch.randn(graph.num_src, 3, dtype=torch.float64, requires_grad=True)
        target = torch.randn(graph.num_dst, 3, dtype=torch.float64, requires_grad=True) if with_target else None
        edge = torch.randn(graph.num_edges, 3, dtype=torch.float64, requires_grad=True) if with_edge else None
        inputs = [tensor for tensor in (source, target, edge) if tensor is not None]
        results = []
        for kernels in ("auto", "torch"):
            monkeypatch.setenv("AGDN_KERNELS", kernels)
            out = edge_scores(source, target, edge, graph, 0.2)
            probe = torch.linspace(-1, 1, out.numel(), dtype=torch.float64).view_as(out)
            results.append([out, *torch.autograd.grad((out * probe).sum(), inputs)])
        for a, b in zip(*results, strict=True):
            torch.testing.assert_close(a, b)


def test_opcheck() -> None:
    graph = Graph(*AWKWARD["directed"])
    ends = [torch.randn(7, 2, requires_grad=True) for _ in range(2)]
    by_source = graph.transposed
    arguments = (*ends, None, graph.indptr, graph.indices, by_source.indptr, by_source.order, 0.2)
    torch.library.opcheck(edge_scores_op, arguments)
