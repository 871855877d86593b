import pytest
import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops import plain_operators, polynomial, powers
from agdn.ops.polynomial import polynomial_op
from graphs import AWKWARD, random_edges


def dense(weight: Tensor, graph: Graph) -> Tensor:
    matrix = torch.zeros(graph.num_dst, graph.num_src, dtype=weight.dtype)
    return matrix.index_put((graph.targets.long(), graph.indices.long()), weight[:, 0], accumulate=True)


def by_powers(z: Tensor, matrix: Tensor, c: Tensor) -> Tensor:
    return sum(c[k] * (torch.linalg.matrix_power(matrix, k) @ z) for k in range(len(c)))


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("hops", [0, 1, 2, 5])
@pytest.mark.parametrize("learnt", [False, True])
def test_it_is_the_sum_of_powers(name: str, hops: int, learnt: bool) -> None:
    graph = Graph(*AWKWARD[name])
    z = torch.randn(graph.num_nodes, 5, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(graph.num_edges, 1, dtype=torch.float64)
    c = torch.randn(hops + 1, dtype=torch.float64, requires_grad=learnt)
    torch.testing.assert_close(polynomial(z, weight, graph, c), by_powers(z, dense(weight, graph), c))
    torch.autograd.gradcheck(lambda *inputs: polynomial(inputs[0], weight, graph, inputs[1]), (z, c))
    with plain_operators():
        torch.testing.assert_close(polynomial(z, weight, graph, c), by_powers(z, dense(weight, graph), c))


def test_the_weights_themselves_may_be_learnt() -> None:
    graph = Graph(*AWKWARD["directed"])
    weight = torch.randn(graph.num_edges, 1, dtype=torch.float64, requires_grad=True)
    z = torch.randn(graph.num_nodes, 3, dtype=torch.float64)
    torch.autograd.gradcheck(lambda weight: polynomial(z, weight, graph, [1.0, 0.5, 0.2]), (weight,))


@pytest.mark.parametrize("coefficients", [[0.0, 0.0, 1.0], [0.3, 0.0, 0.0, 2.0], [1.0, 0.0]])
def test_zeros_and_ones_are_no_special_case(coefficients: list[float]) -> None:
    graph = Graph(random_edges(20, 80), 20)
    z, weight = torch.randn(20, 40, dtype=torch.float64), torch.rand(80, 1, dtype=torch.float64)
    expected = by_powers(z, dense(weight, graph), torch.tensor(coefficients, dtype=torch.float64))
    torch.testing.assert_close(polynomial(z, weight, graph, coefficients), expected)


def test_a_small_dense_graph_is_multiplied_in_blocks() -> None:
    nodes = 700
    graph = Graph(random_edges(nodes, 32 * nodes), nodes)
    c = torch.tensor([0.2, 0.5, -0.1], requires_grad=True)
    z, weight = torch.randn(nodes, 1000, requires_grad=True), torch.rand(graph.num_edges, 1) / 32
    out = polynomial(z, weight, graph, c)
    torch.testing.assert_close(out, by_powers(z, dense(weight, graph), c), rtol=1e-4, atol=1e-4)


def test_the_same_bits_for_any_number_of_threads() -> None:
    nodes, before = 4000, torch.get_num_threads()
    graph = Graph(random_edges(nodes, 300_000), nodes)
    z, weight = torch.randn(nodes, 40), torch.rand(graph.num_edges, 1) / 75
    found = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        own, c = z.clone().requires_grad_(), torch.tensor([0.1, 0.2, 0.3]).requires_grad_()
        out = polynomial(own, weight, graph, c)
        found.append([out.detach(), *torch.autograd.grad(out.square().sum(), (own, c))])
    torch.set_num_threads(before)
    assert all(torch.equal(a, b) for a, b in zip(*(run[:2] for run in found), strict=True))
    torch.testing.assert_close(found[0][2], found[1][2])


@pytest.mark.parametrize("name", AWKWARD)
def test_powers(name: str) -> None:
    graph = Graph(*AWKWARD[name])
    x = torch.randn(graph.num_nodes, 3, dtype=torch.float64)
    weight = torch.randn(graph.num_edges, 1, dtype=torch.float64)
    expected = torch.stack([torch.linalg.matrix_power(dense(weight, graph), k) @ x for k in range(4)])
    torch.testing.assert_close(powers(x, weight, graph, 3), expected)
    torch.testing.assert_close(powers(x.requires_grad_(), weight, graph, 3), expected)
    torch.autograd.gradcheck(lambda x: powers(x, weight, graph, 3), (x,))


def test_opcheck() -> None:
    graph = Graph(*AWKWARD["directed"])
    z, weight = torch.randn(7, 3, requires_grad=True), torch.randn(graph.num_edges, 1)
    c = torch.randn(4, requires_grad=True)
    indptr, indices, order = graph.transposed
    by_source = indptr, indices, weight[order.long()]
    torch.library.opcheck(polynomial_op, (z, weight, graph.indptr, graph.indices, None, *by_source, c))
