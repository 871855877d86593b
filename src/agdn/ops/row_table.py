"""A table of vectors that learns a few rows at a time, such as those of the words of some texts.

    out_b = sum over the entries (b, n) of v_bn t_n        dt_n = sum over the entries (b, n) of v_bn g_b

Rows that no entry names are not touched, so a step costs what its entries cost. Steps are Adagrad's, one rate a row.
"""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.ops.backend import require_kernels
from agdn.ops.subgraphs import grouped


class RowTable:
    """Attributes:
    table: (N, D) float32 vectors.
    squares: (N,) for each row the sum over steps of its gradient's mean square.
    """

    def __init__(self, table: Tensor) -> None:
        require_kernels("tables that learn row by row")
        self.table = table.float().contiguous()
        self.squares = torch.zeros(len(table))

    def sums(self, indptr: Tensor, rows: Tensor, values: Tensor) -> Tensor:
        """(B, D): sum b takes ``rows[indptr[b]:indptr[b + 1]]``, each times its value."""
        from agdn.ops.cache_blocks import product
        from agdn.ops.kernels.jit import along, use_threads

        use_threads()
        out = torch.empty(len(indptr) - 1, 1, self.table.size(1))
        product(*along(None, indptr), indptr.numpy(), rows.numpy(), values.unsqueeze(1).numpy(),
                self.table.unsqueeze(1).numpy(), out.numpy())  # fmt: skip
        return out.squeeze(1)

    def step(self, rows: Tensor, owners: Tensor, values: Tensor, gradients: Tensor, *, lr: float) -> None:
        """Entry p moves row ``rows[p]`` along ``values[p]`` times the gradient (of what is to grow) of its owner."""
        from agdn.ops.kernels.jit import row_chunks, use_threads
        from agdn.ops.kernels.row_table import ascend_products

        use_threads()
        indptr, places = grouped(rows, len(self.table), torch.int64)
        ascend_products(row_chunks(len(self.table)), indptr.numpy(), places.numpy(), owners.numpy(), values.numpy(),
                        gradients.contiguous().numpy(), lr, self.table.numpy(), self.squares.numpy())  # fmt: skip
