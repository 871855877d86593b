"""Batch norm whose sums are in double precision, over the rows of one process or of all ranks.

    m = sum over rows of x / n        v = sum of (x - m)^2 / n        y = (x - m) r w + b,  r = 1 / sqrt(v + eps)
    x' = r w (y' - sum of y' / n - (x - m) r^2 sum of y' (x - m) / n)

torch's own on CPUs sums in the precision of x, thread by thread: with 170,000 rows its variances are off by 5e-5, and
other bits come out with another number of threads. Here neither is so, and a graph in parts gives what the whole gives.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from agdn.ops.backend import kernels_run_on

Sum = Callable[[Tensor], Tensor]
"""What adds up over ranks; nothing to add in one process."""


def alone(values: Tensor) -> Tensor:
    return values


def moments(x: Tensor, summed: Sum = alone) -> tuple[Tensor, Tensor, float]:
    """(C,) means and biased variances of the columns of x (N, C) in float64, and how many rows they are of."""
    sums = summed(torch.cat([_sums(x), torch.tensor([float(len(x))], dtype=torch.float64, device=x.device)]))
    count = float(sums[-1])
    if count < 2:
        raise ValueError("batch norm needs more than one row in training; use norm=layer or none")
    mean = sums[:-1] / count
    return mean, summed(_squares(x, mean)) / count, count


def normalised(x: Tensor, mean: Tensor, var: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias."""
    if not kernels_run_on(x):
        return F.batch_norm(x, mean.to(x), var.to(x), weight, bias, False, 0.0, eps) if len(x) else x.clone()
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.columns import normalise
    from agdn.ops.kernels.jit import row_chunks, use_threads

    use_threads()
    out = empty(tuple(x.shape), x.dtype)
    shift = torch.zeros_like(mean) if bias is None else bias
    rows = (_scaled((var + eps).rsqrt(), weight).to(x), shift.to(x))
    normalise(row_chunks(len(x)), x.numpy(), mean.to(x).numpy(), *(row.numpy() for row in rows), out.numpy())
    return out


def back(
    grad: Tensor, x: Tensor, mean: Tensor, var: Tensor, weight: Tensor | None, eps: float, count: float, summed: Sum
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradient of x, and those of weight and bias from these rows alone."""
    own = _products(x, mean, grad)
    of_all = summed(own) / count
    rstd = (var + eps).rsqrt()
    level, slope, scale = of_all[0].to(x), (of_all[1] * rstd**2).to(x), _scaled(rstd, weight).to(x)
    return _returned(x, mean.to(x), grad, level, slope, scale), own[1] * rstd, own[0]


def _scaled(rstd: Tensor, weight: Tensor | None) -> Tensor:
    return rstd if weight is None else rstd * weight


def _sums(x: Tensor) -> Tensor:
    if not kernels_run_on(x):
        return x.sum(0, dtype=torch.float64)
    from agdn.ops.kernels.columns import column_sums

    return _by_chunks(column_sums, x, (x.size(1),), x.numpy())


def _squares(x: Tensor, mean: Tensor) -> Tensor:
    if not kernels_run_on(x):
        return (x - mean.to(x)).square().sum(0, dtype=torch.float64)
    from agdn.ops.kernels.columns import column_squares

    return _by_chunks(column_squares, x, (x.size(1),), x.numpy(), mean.numpy())


def _products(x: Tensor, mean: Tensor, grad: Tensor) -> Tensor:
    """(2, C) sums of the gradient, and of its products with centred rows."""
    if not kernels_run_on(x):
        product = ((x - mean.to(x)) * grad).sum(0, dtype=torch.float64)
        return torch.stack([grad.sum(0, dtype=torch.float64), product])
    from agdn.ops.kernels.columns import column_products

    return _by_chunks(column_products, x, (2, x.size(1)), x.numpy(), mean.numpy(), grad.numpy())


def _by_chunks(kernel: Callable[..., None], x: Tensor, shape: tuple[int, ...], *arguments: object) -> Tensor:
    from agdn.ops.kernels.jit import row_chunks, use_threads

    use_threads()
    chunks = row_chunks(len(x))
    parts = torch.empty((len(chunks) - 1, *shape), dtype=torch.float64)
    kernel(chunks, *arguments, parts.numpy(), work=x.numel())
    return parts.sum(0)


def _returned(x: Tensor, mean: Tensor, grad: Tensor, level: Tensor, slope: Tensor, scale: Tensor) -> Tensor:
    if not kernels_run_on(x):
        return (grad - level - (x - mean) * slope) * scale
    from agdn.ops.kernels.buffers import empty
    from agdn.ops.kernels.columns import normalise_back
    from agdn.ops.kernels.jit import row_chunks, use_threads

    use_threads()
    out = empty(tuple(x.shape), x.dtype)
    rows = (x, mean, grad, level, slope, scale, out)
    normalise_back(row_chunks(len(x)), *(row.numpy() for row in rows))
    return out


@torch.library.custom_op("agdn::batch_norm", mutates_args=())
def batch_norm_op(x: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """x (N, C) normalised, and the means and biased variances of its columns in float64."""
    mean, var, _ = moments(x)
    return normalised(x, mean, var, weight, bias, eps), mean, var


@batch_norm_op.register_fake
def _(x: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    statistics = x.new_empty(x.size(1), dtype=torch.float64)
    return torch.empty_like(x), statistics, statistics.clone()


@torch.library.custom_op("agdn::batch_norm_backward", mutates_args=())
def batch_norm_backward_op(
    grad: Tensor, x: Tensor, mean: Tensor, var: Tensor, weight: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    result, of_weight, of_bias = back(grad, x, mean, var, weight, eps, float(len(x)), alone)
    return result, of_weight.to(x), of_bias.to(x)


@batch_norm_backward_op.register_fake
def _(
    grad: Tensor, x: Tensor, mean: Tensor, var: Tensor, weight: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    return torch.empty_like(x), x.new_empty(x.size(1)), x.new_empty(x.size(1))


def _save(ctx, inputs, output) -> None:
    x, weight, _, ctx.eps = inputs
    ctx.save_for_backward(x, *output[1:], weight)
    ctx.set_materialize_grads(False)


def _backward(ctx, grad, *_):
    x, mean, var, weight = ctx.saved_tensors
    if grad is None:
        return None, None, None, None
    result, of_weight, of_bias = batch_norm_backward_op(grad.contiguous(), x, mean, var, weight, ctx.eps)
    return (result, None, None, None) if weight is None else (result, of_weight, of_bias, None)


batch_norm_op.register_autograd(_backward, setup_context=_save)
