"""torch's linear layer, which also takes features that are mostly zeros."""

from __future__ import annotations

from torch import Tensor, nn

from agdn.ops.sparse_rows import is_sparse, product


class Linear(nn.Linear):
    """``x`` may be a ``torch.sparse_csr`` tensor."""

    def forward(self, x: Tensor) -> Tensor:
        if not is_sparse(x):
            return super().forward(x)
        out = product(x, self.weight.t())
        return out if self.bias is None else out + self.bias
