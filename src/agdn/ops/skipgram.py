"""Skip-gram with negative sampling: node vectors that tell the nodes of one window from nodes drawn at random.

A walk of L nodes has L - window + 1 windows. The first node c of each is to be told from noise by its contexts x, the
other nodes of the window; all windows of a walk share its noise nodes z:

    loss = - sum over windows of [ sum_x log sigma(h_c . h_x) + sum_z log sigma(-h_c . h_z) ]

One table of vectors serves centres and contexts alike.

Steps are synchronous: all walks of a batch see the table as it was before, and a row's gradients are added up by the
one thread that owns it. Threads that write to a shared table as they please (hogwild) are no faster here, since the
arithmetic outweighs the writing, and would give other vectors each time; this gives the same bits for any number of
threads. What staleness costs, hubs above all, whose gradients of a whole batch are summed, a rate of its own for every
row makes up for (Adagrad on the row's mean square).
"""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.ops.backend import require_kernels


class SkipGram:
    """A table of node vectors in training.

    Args:
        noise: (M,) the nodes that negatives are drawn from, each as likely.
        window: Nodes of a window, the centre and its contexts.
        negatives: Noise nodes for every context.
        generator: Draws the vectors to start from.

    Attributes:
        table: (N, D) float32 vectors.
        squares: (N,) for each row the sum over steps of its gradient's mean square.
    """

    def __init__(
        self,
        num_nodes: int,
        dim: int,
        *,
        noise: Tensor,
        window: int,
        negatives: int,
        generator: torch.Generator | None = None,
    ) -> None:
        require_kernels("skip-gram steps")
        from agdn.ops.kernels.buffers import empty

        self.noise, self.window, self.negatives = noise, window, negatives
        self.table = empty((num_nodes, dim), torch.float32).uniform_(-0.5 / dim, 0.5 / dim, generator=generator)
        self.squares = torch.zeros(num_nodes)
        self._indptr = torch.empty(num_nodes + 2, dtype=torch.int64)
        self._grads = torch.empty(0)

    def step(self, walks: Tensor, *, lr: float, seed: int) -> None:
        """Move the vectors of a batch of walks (B, L), and those of their negatives, once."""
        from agdn.ops.kernels.jit import row_chunks, use_threads
        from agdn.ops.kernels.skipgram import ascend, gradients, places_by_node

        use_threads()
        rows = walks.size(1) + self.negatives * (self.window - 1)
        nodes = torch.empty(len(walks), rows, dtype=walks.dtype)
        places = torch.empty(nodes.numel(), dtype=torch.int64)
        grads = self._scratch(len(walks), rows)
        table = self.table.numpy()
        gradients(row_chunks(len(walks)), walks.numpy(), self.noise.numpy(), table, self.window, seed, nodes.numpy(),
                  grads.numpy())  # fmt: skip
        places_by_node(nodes.view(-1).numpy(), self._indptr.numpy(), places.numpy())
        ascend(row_chunks(len(table)), self._indptr.numpy(), places.numpy(), grads.flatten(0, 1).numpy(), lr, table,
               self.squares.numpy())  # fmt: skip

    def _scratch(self, walks: int, rows: int) -> Tensor:
        """(walks, rows, D) uninitialised, in memory that is kept from step to step."""
        size = walks * rows * self.table.size(1)
        if self._grads.numel() < size:
            from agdn.ops.kernels.buffers import empty

            self._grads = empty((size,), self.table.dtype)
        return self._grads[:size].view(walks, rows, -1)
