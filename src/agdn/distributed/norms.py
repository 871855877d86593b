"""Normalisation over the nodes of all ranks; torch's own synchronised batch norm does not run on CPUs.

The gradients of weights and biases are those of the own rows; those of all ranks are summed with the other parameters'.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from agdn.distributed.world import World
from agdn.nn.batch_norm import BatchNorm
from agdn.ops.batch_norm import back, moments, normalised


class WorldBatchNorm(BatchNorm):
    """:class:`BatchNorm` whose statistics are those of all ranks' rows."""

    world: World

    def _in_training(self, x: Tensor) -> Tensor:
        out, mean, var, count = _BatchNorm.apply(x.contiguous(), self.weight, self.bias, self.eps, self.world)
        self._remember(mean, var, count)
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
        if type(child) is BatchNorm:
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
        mean, var, count = moments(x, partial(world.sum, what="batch norm"))
        ctx.world, ctx.eps, ctx.count = world, eps, count
        ctx.save_for_backward(x, weight, mean, var)
        ctx.mark_non_differentiable(mean, var)
        ctx.set_materialize_grads(False)
        return normalised(x, mean, var, weight, bias, eps), mean, var, count

    @staticmethod
    def backward(ctx: Any, grad: Tensor | None, *_: Any) -> Any:
        x, weight, mean, var = ctx.saved_tensors
        grad = torch.zeros_like(x) if grad is None else grad.contiguous()
        summed = partial(ctx.world.sum, what="batch norm")
        result, of_weight, of_bias = back(grad, x, mean, var, weight, ctx.eps, ctx.count, summed)
        if weight is None:
            return result, None, None, None, None
        return result, of_weight.to(weight), of_bias.to(weight), None, None
