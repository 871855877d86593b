"""torch's linear layer, which also takes features that are mostly zeros, and products that it adds to."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agdn.ops.backend import kernels_run_on
from agdn.ops.sparse_rows import is_sparse, product


class Linear(nn.Linear):
    """``x`` may be a ``torch.sparse_csr`` tensor."""

    def forward(self, x: Tensor) -> Tensor:
        if not is_sparse(x):
            return for_kernels(super().forward(x))
        out = product(x, self.weight.t())
        return out if self.bias is None else out + self.bias


def plus_product(
    start: Tensor, x: Tensor, weight: Tensor, *, start_share: float = 1.0, product_share: float = 1.0
) -> Tensor:
    """``start_share`` start + ``product_share`` x W; what it starts from keeps its precision under autocast."""
    if not torch.is_autocast_enabled(x.device.type):
        return torch.addmm(start, x, weight, beta=start_share, alpha=product_share)
    product = for_kernels(x @ weight)
    if (start_share, product_share) != (1.0, 1.0):
        start, product = start_share * start, product_share * product
    return start + product


def for_kernels(products: Tensor) -> Tensor:
    """Products of bfloat16, as autocast makes them, in the single precision that kernels take, where these run."""
    if products.dtype == torch.bfloat16 and kernels_run_on(products.new_empty(0, dtype=torch.float32)):
        return products.float()
    return products
