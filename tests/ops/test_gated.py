import pytest
import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops import gated_hops, plain_operators
from agdn.ops.gated import gated_hops_op
from graphs import AWKWARD, random_edges


def by_powers(z: Tensor, weight: Tensor, graph: Graph, hops: int, query: Tensor, bias: Tensor) -> Tensor:
    matrix = torch.zeros(graph.num_dst, graph.num_src, dtype=weight.dtype)
    matrix = matrix.index_put((graph.targets.long(), graph.indices.long()), weight[:, 0], accumulate=True)
    seen = torch.stack([torch.linalg.matrix_power(matrix, k) @ z for k in range(hops + 1)])
    return (torch.sigmoid(seen @ query + bias).unsqueeze(2) * seen).sum(0)


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("hops", [0, 1, 2, 5])
def test_it_is_the_gated_sum(name: str, hops: int) -> None:
    graph = Graph(*AWKWARD[name])
    z = torch.randn(graph.num_nodes, 5, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(graph.num_edges, 1, dtype=torch.float64)
    query, bias = torch.randn(5, dtype=torch.float64), torch.tensor(0.3, dtype=torch.float64)
    expected = by_powers(z, weight, graph, hops, query, bias)
    torch.testing.assert_close(gated_hops(z, weight, graph, hops, query, bias), expected)
    with torch.no_grad():
        torch.testing.assert_close(gated_hops(z, weight, graph, hops, query, bias), expected)
    with plain_operators():
        torch.testing.assert_close(gated_hops(z, weight, graph, hops, query, bias), expected)
    learnt = (z, query.requires_grad_(), bias.requires_grad_())
    torch.autograd.gradcheck(lambda z, query, bias: gated_hops(z, weight, graph, hops, query, bias), learnt)


def test_a_small_dense_graph_is_multiplied_in_blocks() -> None:
    nodes = 700
    graph = Graph(random_edges(nodes, 32 * nodes), nodes)
    tensors = (torch.randn(nodes, 1000) / 10, torch.randn(1000) / 10, torch.tensor(0.1))
    weight = torch.rand(graph.num_edges, 1) / 16
    results = []
    for function in (gated_hops, by_powers):
        z, query, bias = (tensor.clone().requires_grad_() for tensor in tensors)
        out = function(z, weight, graph, 2, query, bias)
        results.append([out, *torch.autograd.grad(out.square().sum(), (z, query, bias))])
    for ours, theirs in zip(*results, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-3)


def test_opcheck() -> None:
    graph = Graph(*AWKWARD["directed"])
    z, query, bias = torch.randn(7, 3, requires_grad=True), torch.randn(3, requires_grad=True), torch.randn(())
    weight = torch.randn(graph.num_edges, 1)
    indptr, indices, order = graph.transposed
    edges = (graph.indptr, graph.indices, None, indptr, indices, weight[order.long()])
    torch.library.opcheck(gated_hops_op, (z, weight, *edges, query, bias.requires_grad_(), 3, True))
