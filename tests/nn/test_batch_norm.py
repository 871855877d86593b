"""Batch norm against torch's in double precision, and its bits against the number of threads."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from agdn.nn.batch_norm import BatchNorm
from agdn.ops.backend import plain_operators
from agdn.ops.batch_norm import batch_norm_op


def learned(norm: nn.Module, x: Tensor, grad: Tensor) -> dict[str, Tensor]:
    x = x.clone().requires_grad_()
    out = norm.train()(x)
    out.backward(grad)
    gradients = {name: parameter.grad for name, parameter in norm.named_parameters()}
    return {"out": out.detach(), "x": x.grad, **gradients, **dict(norm.named_buffers())}


def with_random_weights(norm: nn.Module) -> nn.Module:
    torch.manual_seed(1)
    for parameter in norm.parameters():
        nn.init.normal_(parameter, 1.0)
    return norm


@pytest.mark.parametrize("rows", [5, 300, 30_000])
@pytest.mark.parametrize("options", [{}, {"affine": False}, {"momentum": None}, {"track_running_stats": False}])
def test_it_is_torchs_in_double_precision(rows: int, options: dict) -> None:
    torch.manual_seed(0)
    x, grad = 3 + torch.randn(rows, 17), torch.randn(rows, 17)
    ours = with_random_weights(BatchNorm(17, **options))
    exact = nn.BatchNorm1d(17, **options).double()
    exact.load_state_dict(ours.state_dict())
    expected = learned(exact, x.double(), grad.double())
    for name, found in learned(ours, x, grad).items():
        torch.testing.assert_close(found.double(), expected[name].double(), rtol=2e-5, atol=2e-5, msg=name)
    double = BatchNorm(17, **options).double()
    double.load_state_dict(exact.state_dict())
    double.reset_running_stats()
    for name, found in learned(double, x.double(), grad.double()).items():
        torch.testing.assert_close(found, expected[name], rtol=1e-9, atol=1e-11, msg=name)


def test_variances_of_many_rows_are_exact_and_bits_do_not_depend_on_threads() -> None:
    torch.manual_seed(0)
    x, grad = 1 + torch.randn(200_000, 8), torch.randn(200_000, 8)
    threads, found = torch.get_num_threads(), []
    try:
        for number in (1, 2):
            torch.set_num_threads(number)
            found.append(learned(BatchNorm(8, momentum=1.0), x, grad))
    finally:
        torch.set_num_threads(threads)
    for name, value in found[0].items():
        assert torch.equal(value, found[1][name]), name
    assert ((found[0]["running_var"] / x.double().var(0) - 1).abs() < 1e-7).all()


def test_one_row_is_refused_and_evaluation_is_torchs() -> None:
    norm = BatchNorm(4)
    with pytest.raises(ValueError, match="more than one row"):
        norm(torch.randn(1, 4))
    x = torch.randn(5, 4)
    assert torch.equal(norm.eval()(x), nn.BatchNorm1d(4).eval()(x))
    with plain_operators():
        plain = BatchNorm(4)(x)
    torch.testing.assert_close(plain, BatchNorm(4)(x))


def test_the_operator_can_be_traced() -> None:
    x, weight, bias = torch.randn(7, 3), torch.randn(3), torch.randn(3)
    torch.library.opcheck(batch_norm_op, (x.requires_grad_(), weight.requires_grad_(), bias.requires_grad_(), 1e-5))
