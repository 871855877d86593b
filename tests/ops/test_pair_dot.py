import pytest
import torch

from agdn.ops import pair_dot
from agdn.ops.pair_dot import pair_dot_op


@pytest.mark.parametrize("pairs", [torch.randint(6, (2, 40)), torch.zeros(2, 7).long(), torch.zeros(2, 0).long()])
def test_equals_indexing(pairs) -> None:
    a = torch.randn(9, 5, dtype=torch.float64, requires_grad=True)
    b = torch.randn(6, 5, dtype=torch.float64, requires_grad=True)
    got, expected = pair_dot(a, b, pairs), (a[pairs[0]] * b[pairs[1]]).sum(1)
    torch.testing.assert_close(got, expected)
    probe = torch.randn_like(got)
    gradients = (torch.autograd.grad((out * probe).sum(), (a, b)) for out in (got, expected))
    for ours, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_one_matrix_on_both_sides_gets_both_gradients() -> None:
    h = torch.randn(9, 5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda h: pair_dot(h, h, torch.tensor([[0, 3, 3], [1, 3, 8]])), h)


def test_bits_do_not_depend_on_the_number_of_threads() -> None:
    a, pairs = torch.randn(700, 64, requires_grad=True), torch.randint(700, (2, 9000))
    results = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        out = pair_dot(a, a, pairs)
        results.append((out.detach(), *torch.autograd.grad(out.square().sum(), a)))
    for one, two in zip(*results, strict=True):
        assert torch.equal(one, two)


def test_bad_pairs_are_named() -> None:
    with pytest.raises(ValueError, match=r"nodes 0\.\.7, but there are 6 nodes"):
        pair_dot(torch.randn(9, 5), torch.randn(6, 5), torch.tensor([[0], [7]]))


def test_opcheck() -> None:
    states = torch.randn(9, 5, requires_grad=True)
    torch.library.opcheck(pair_dot_op, (states, states, torch.randint(9, (2, 40))))
