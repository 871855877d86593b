"""Normalisation over the nodes of all ranks; torch's own synchronised batch norm does not run on CPUs.

    m = sum over all rows of x / n        v = sum of (x - m)^2 / n        y = (x - m) r w + b,  r = 1 / sqrt(v + eps)
    x' = r w (y' - sum of y' / n - (x - m) r^2 sum of y' (x - m) / n)      every sum over the rows of all ranks

The gradients of w and b are those of the own rows; those of all ranks are summed with the other parameters'.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agdn.distributed.world import World

ROWS = 1 << 14  # at a time, so that what is in between takes no memory worth mentioning


class WorldBatchNorm(nn.BatchNorm1d):
    """``nn.BatchNorm1d`` whose statistics are those of all ranks' rows."""

    world: World

    def forward(self, input: Tensor) -> Tensor:
        if not self.training:
            return super().forward(input)
        out, mean, var, count = _BatchNorm.apply(input, self.weight, self.bias, self.eps, self.world)
        if self.track_running_stats and self.running_mean is not None and self.running_var is not None:
            assert self.num_batches_tracked is not None
            with torch.no_grad():
                self.num_batches_tracked.add_(1)
                momentum = 1 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
                self.running_mean.lerp_(mean.to(self.running_mean), momentum)
                self.running_var.lerp_((var * (count / (count - 1))).to(self.running_var), momentum)
        return out  # type: ignore[no-any-return]


class WorldPairNorm(nn.Module):
    """PairNorm over all ranks' rows: centred, then divided by the root of the mean squared length."""

    def __init__(self, world: World, scale: float, eps: float) -> None:
        super().__init__()
        self.world, self.scale, self.eps = world, scale, eps

    def forward(self, x: Tensor) -> Tensor:
        count = self.world.sum(torch.tensor(float(len(x))), "pair norm").to(x).clamp(min=1)
        x = x - summed(x.sum(0, keepdim=True), self.world) / count
        return self.scale * x / (self.eps + summed(x.pow(2).sum(), self.world) / count).sqrt()


def over_all_ranks(model: nn.Module, world: World) -> nn.Module:
    """The model with norms over nodes exchanged for those of all ranks; parameters and their names stay."""
    for child in model.modules():
        if type(child) is nn.BatchNorm1d:
            child.__class__ = WorldBatchNorm
            child.world = world  # type: ignore[assignment]
    for module in list(model.modules()):
        for name, child in module.named_children():
            if type(child).__name__ == "PairNorm":
                if child.scale_individually:
                    raise ValueError("PairNorm that scales nodes one by one is not for a graph in parts")
                setattr(module, name, WorldPairNorm(world, child.scale, child.eps))  # type: ignore[arg-type]
    return model


def summed(values: Tensor, world: World) -> Tensor:
    """The sum over all ranks, through which gradients pass."""
    return _Sum.apply(values, world)  # type: ignore[no-any-return]


class _Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, world: World) -> Tensor:
        ctx.world = world
        return world.sum(values)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return ctx.world.sum(grad), None


class _BatchNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, eps: float, world: World) -> Any:
        x = x.contiguous()
        sums = torch.cat([x.sum(0, dtype=torch.float64), torch.tensor([float(len(x))], dtype=torch.float64)])
        sums = world.sum(sums, "batch norm")
        count = float(sums[-1])
        if count < 2:
            raise ValueError("batch norm needs more than one row in training; use norm=layer or none")
        mean = sums[:-1] / count
        squares = torch.zeros_like(mean)
        for rows in x.split(ROWS):
            squares += (rows - mean.to(x)).square().sum(0, dtype=torch.float64)
        var = world.sum(squares, "batch norm") / count
        out = F.batch_norm(x, mean.to(x), var.to(x), weight, bias, False, 0.0, eps) if len(x) else x.clone()
        ctx.world, ctx.count = world, count
        ctx.save_for_backward(x, weight, mean, (var + eps).rsqrt())
        ctx.mark_non_differentiable(mean, var)
        ctx.set_materialize_grads(False)
        return out, mean, var, count

    @staticmethod
    def backward(ctx: Any, grad: Tensor | None, *_: Any) -> Any:
        x, weight, mean, rstd = ctx.saved_tensors
        grad = torch.zeros_like(x) if grad is None else grad.contiguous()
        centre = mean.to(x)
        total, product = torch.zeros_like(mean), torch.zeros_like(mean)
        for rows, above in zip(x.split(ROWS), grad.split(ROWS), strict=True):
            total += above.sum(0, dtype=torch.float64)
            product += ((rows - centre) * above).sum(0, dtype=torch.float64)
        of_all = ctx.world.sum(torch.stack([total, product]), "batch norm") / ctx.count
        level, slope = of_all[0].to(x), (of_all[1] * rstd**2).to(x)
        scale = (rstd if weight is None else rstd * weight).to(x)
        result = torch.empty_like(x)
        for rows, above, out in zip(x.split(ROWS), grad.split(ROWS), result.split(ROWS), strict=True):
            torch.sub(above, level, out=out)
            out.addcmul_(rows - centre, slope, value=-1).mul_(scale)
        if weight is None:
            return result, None, None, None, None
        return result, (product * rstd).to(weight), total.to(weight), None, None
