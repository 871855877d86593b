import pytest
import torch

from agdn.graph import Graph
from agdn.nn.polynomial_conv import PolynomialConv
from graphs import random_edges
from reference import fixed_transition

N = 12
GRAPH = Graph(random_edges(N, 40), N)


def polynomials(matrix: torch.Tensor, basis: str, count: int) -> list[torch.Tensor]:
    one = torch.eye(N, dtype=torch.float64)
    if basis == "power":
        return [torch.linalg.matrix_power(matrix, k) for k in range(count + 1)]
    found = [one, -matrix]
    for _ in range(count - 1):
        found.append(-2 * matrix @ found[-1] - found[-2])
    return found[: count + 1]


@pytest.mark.parametrize("basis", ["power", "chebyshev"])
@pytest.mark.parametrize(("wide", "count"), [(3, 0), (3, 1), (3, 3), (20, 1), (20, 3), (20, 4)])
@pytest.mark.parametrize("learnt", [False, True])
def test_both_sides_give_the_polynomial(basis: str, wide: int, count: int, learnt: bool) -> None:
    torch.manual_seed(0)
    conv = PolynomialConv(wide, 7, count, basis=basis).double()
    x = torch.randn(N, wide, dtype=torch.float64, requires_grad=learnt)
    matrices = polynomials(fixed_transition("sym", GRAPH.edge_index, N), basis, count)
    expected = conv.bias + sum(m @ x @ w.weight.t() for m, w in zip(matrices, conv.transforms, strict=True))
    out = conv(x, GRAPH)
    torch.testing.assert_close(out, expected)
    inputs = [*conv.parameters(), *([x] if learnt else [])]
    for ours, theirs in zip(*(torch.autograd.grad(o.square().sum(), inputs) for o in (out, expected)), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_which_side_is_cheaper() -> None:
    conv, x = PolynomialConv(10, 6, 2, basis="power"), torch.randn(N, 10)
    assert conv._input_is_narrower(x)  # three hops of 10 channels, not six of 6
    assert not conv._input_is_narrower(x.clone().requires_grad_())
    with torch.no_grad():
        assert not conv._input_is_narrower(x)
