import sys

import pytest
import torch

from agdn import Graph
from agdn.ops import propagate
from agdn.ops.propagate import spmm
from graphs import AWKWARD, random_edges


def dense(x, weight, graph):
    matrices = x.new_zeros(x.size(1), graph.num_dst, graph.num_src)
    for head in range(x.size(1)):
        cells = (graph.targets.long(), graph.indices.long())
        matrices[head] = matrices[head].index_put(cells, weight[:, head % weight.size(1)], accumulate=True)
    return torch.einsum("hij,jhd->ihd", matrices, x)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", AWKWARD)
def test_equals_the_dense_product(name: str, shared: bool, dtype: torch.dtype) -> None:
    graph = Graph(*AWKWARD[name])
    x = torch.randn(graph.num_src, 3, 4, dtype=dtype, requires_grad=True)
    weight = torch.randn(graph.num_edges, 1 if shared else 3, dtype=dtype, requires_grad=True)
    got, expected = propagate(x, weight, graph), dense(x, weight, graph)
    tolerance = {"rtol": 0.1, "atol": 0.1} if dtype == torch.bfloat16 else {}
    torch.testing.assert_close(got, expected, **tolerance)
    probe = torch.randn_like(got)
    gradients = [torch.autograd.grad((out * probe).sum(), (x, weight)) for out in (got, expected)]
    for a, b in zip(*gradients, strict=True):
        torch.testing.assert_close(a, b, **tolerance)


def test_chunks_of_one_edge_give_the_same(monkeypatch) -> None:
    graph = Graph(random_edges(9, 30), 9)
    x, weight = torch.randn(9, 2, 3, dtype=torch.bfloat16), torch.randn(30, 2, dtype=torch.bfloat16)
    whole = propagate(x, weight, graph)
    monkeypatch.setattr(sys.modules["agdn.ops.propagate"], "CHUNK_ELEMENTS", 6)
    torch.testing.assert_close(propagate(x, weight, graph), whole, rtol=0.02, atol=0.02)


def test_bipartite() -> None:
    graph = Graph(torch.tensor([[0, 4, 2], [1, 0, 1]]), size=(5, 2))
    x, weight = torch.randn(5, 2, 3), torch.randn(3, 2)
    torch.testing.assert_close(propagate(x, weight, graph), dense(x, weight, graph))


def test_opcheck() -> None:
    graph = Graph(*AWKWARD["directed"])
    x = torch.randn(7, 2, 3, requires_grad=True)
    weight = torch.randn(graph.num_edges, 2, requires_grad=True)
    torch.library.opcheck(spmm, (x, weight, graph.indptr, graph.indices, None, *graph.transposed, None))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("heads", [1, 3, 8, 17])
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 40, 63, 64, 65, 100, 127, 128, 129, 300])
def test_rows_of_every_width(channels: int, heads: int, dtype: torch.dtype) -> None:
    """What fills part of a register, some, all, and more than all of them."""
    graph = Graph(random_edges(30, 200), 30)
    x = torch.randn(30, heads, channels, dtype=dtype, requires_grad=True)
    weight = torch.randn(200, heads, dtype=dtype, requires_grad=True)
    got, expected = propagate(x, weight, graph), dense(x, weight, graph)
    torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)
    probe = torch.randn_like(got)
    gradients = [torch.autograd.grad((out * probe).sum(), (x, weight)) for out in (got, expected)]
    for a, b in zip(*gradients, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-3 if dtype == torch.float32 else 1e-9)


def test_a_row_alone_has_the_bits_of_a_row_among_others() -> None:
    """Each channel is summed neighbour by neighbour, wherever it lies in the registers."""
    graph = Graph(random_edges(30, 400), 30)
    x, weight = torch.randn(30, 1, 77), torch.randn(400, 1)
    whole = propagate(x, weight, graph)
    for channels in (slice(0, 16), slice(5, 70), slice(60, 77)):
        assert torch.equal(propagate(x[..., channels].contiguous(), weight, graph), whole[..., channels])


def test_fixed_weights_give_the_rows_their_gradient_on_a_directed_graph() -> None:
    graph = Graph(*AWKWARD["directed"])
    x = torch.randn(7, 2, 5, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(graph.num_edges, 2, dtype=torch.float64)
    torch.autograd.gradcheck(lambda x: propagate(x, weight, graph), (x,))
    weight.mul_(2)  # what was sorted before is stale
    torch.autograd.gradcheck(lambda x: propagate(x, weight, graph), (x,))


def test_opcheck_of_fixed_weights() -> None:
    graph = Graph(*AWKWARD["directed"])
    x, weight = torch.randn(7, 2, 3, requires_grad=True), torch.randn(graph.num_edges, 2)
    by_source = graph.transposed
    torch.library.opcheck(spmm, (x, weight, graph.indptr, graph.indices, None, *by_source, weight[by_source[2].long()]))
