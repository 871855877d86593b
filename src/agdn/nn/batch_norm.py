"""Batch norm with the sums of :mod:`agdn.ops.batch_norm`."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agdn.ops.backend import kernels_run_on
from agdn.ops.batch_norm import batch_norm_op


class BatchNorm(nn.BatchNorm1d):
    """``nn.BatchNorm1d`` over (N, C), exact in training on CPUs; elsewhere, and in evaluation, it is torch's."""

    def forward(self, input: Tensor) -> Tensor:
        if not self.training or input.dim() != 2:
            return super().forward(input)
        return self._in_training(input)

    def _in_training(self, x: Tensor) -> Tensor:
        if not kernels_run_on(x):
            return super().forward(x)
        out, mean, var = batch_norm_op(x.contiguous(), self.weight, self.bias, self.eps)
        self._remember(mean, var, len(x))
        return out  # type: ignore[no-any-return]

    @torch.no_grad()
    def _remember(self, mean: Tensor, var: Tensor, count: float) -> None:
        """Running statistics, the variance unbiased as torch keeps it."""
        if not self.track_running_stats or self.running_mean is None or self.running_var is None:
            return
        assert self.num_batches_tracked is not None
        self.num_batches_tracked.add_(1)
        momentum = 1 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
        self.running_mean.lerp_(mean.to(self.running_mean), momentum)
        self.running_var.lerp_((var * (count / (count - 1))).to(self.running_var), momentum)
