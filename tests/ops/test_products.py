import pytest
import torch

from agdn.ops import node_scores
from agdn.ops.kernels import jit
from agdn.ops.products import node_scores_op


@pytest.mark.parametrize("parallel", [False, True])
def test_equals_einsum(monkeypatch: pytest.MonkeyPatch, parallel: bool) -> None:
    monkeypatch.setattr(jit, "PARALLEL_FROM", 0 if parallel else 1 << 40)
    z, vectors = torch.randn(300, 2, 5, requires_grad=True), torch.randn(3, 2, 5, requires_grad=True)
    out, expected = node_scores(z, vectors), torch.einsum("nhd,phd->pnh", z, vectors)
    torch.testing.assert_close(out, expected)
    probe = torch.randn_like(out)
    for ours, theirs in zip(
        torch.autograd.grad(out, (z, vectors), probe), torch.autograd.grad(expected, (z, vectors), probe), strict=True
    ):
        torch.testing.assert_close(ours, theirs)


def test_gradcheck_and_opcheck() -> None:
    z = torch.randn(4, 2, 3, dtype=torch.float64, requires_grad=True)
    vectors = torch.randn(2, 2, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(node_scores, (z, vectors))
    torch.library.opcheck(node_scores_op, (z, vectors))


def test_no_nodes() -> None:
    assert node_scores(torch.zeros(0, 2, 3), torch.zeros(1, 2, 3)).shape == (1, 0, 2)


def test_nan_comes_out_as_nan() -> None:
    z = torch.zeros(3, 1, 2)
    z[1, 0, 0] = torch.nan
    assert node_scores(z, torch.ones(1, 1, 2)).isnan().flatten().tolist() == [False, True, False]
