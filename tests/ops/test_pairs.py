import pytest
import torch

from agdn.ops import pair_product
from agdn.ops.pairs import pair_product_op


@pytest.mark.parametrize(
    "pairs", [torch.randint(9, (2, 40)), torch.zeros(2, 7, dtype=torch.long), torch.zeros(2, 0).long()]
)
def test_equals_indexing(pairs) -> None:
    h = torch.randn(9, 5, dtype=torch.float64, requires_grad=True)
    got, expected = pair_product(h, pairs), h[pairs[0]] * h[pairs[1]]
    assert torch.equal(got, expected)
    probe = torch.randn_like(got)
    for a, b in zip(
        torch.autograd.grad((got * probe).sum(), h), torch.autograd.grad((expected * probe).sum(), h), strict=True
    ):
        torch.testing.assert_close(a, b)


def test_bad_pairs_are_named() -> None:
    with pytest.raises(ValueError, match=r"nodes 0\.\.9, but there are 9 nodes"):
        pair_product(torch.randn(9, 5), torch.tensor([[0], [9]]))
    with pytest.raises(ValueError, match=r"shape \(2, P\)"):
        pair_product(torch.randn(9, 5), torch.tensor([[0]]))


def test_opcheck() -> None:
    torch.library.opcheck(pair_product_op, (torch.randn(9, 5, requires_grad=True), torch.randint(9, (2, 40))))
