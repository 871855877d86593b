"""Skip-gram with negative sampling: node vectors that tell the windows of walks from windows of random nodes.

A walk of L nodes has L - window + 1 windows: a centre c and the nodes x that follow it. As many windows (c', x') are
cut out of L nodes drawn at random:

    loss = - sum over (c, x) of log sigma(h_c . h_x) - sum over (c', x') of log sigma(-h_c' . h_x')

One table of vectors serves centres and contexts alike. A node is no pair with itself.

That both ends of a negative pair are random matters: were the centres of a walk set against shared random nodes, each
of these would be pushed by one community at a time.

Steps are synchronous: all walks of a batch see the table as it was before, and a row's gradients are added up by the
one thread that owns it. Threads that write to a shared table as they please (hogwild) would spare the gradients their
way through memory, but give other vectors each time; this gives the same bits for any number of threads.
What staleness costs, at hubs above all, whose gradients of a whole batch are summed, a rate of its own for
every row makes up for (Adagrad on the row's mean square).
"""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.ops.backend import require_kernels


class SkipGram:
    """A table of node vectors in training.

    Args:
        noise: (M,) what random nodes are drawn from; a node that stands there twice is twice as likely.
        window: Nodes of a window, the centre and its contexts.
        negatives: Windows of random nodes for every window of a walk; their mean counts.
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
        negatives: int = 1,
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
        """Move the vectors of a batch of walks (B, L), and those of as many random nodes, once."""
        from agdn.ops.kernels.jit import row_chunks, use_threads
        from agdn.ops.kernels.row_table import places_by_node
        from agdn.ops.kernels.skipgram import ascend, gradients

        use_threads()
        blocks, length = len(walks) * (1 + self.negatives), walks.size(1)
        nodes = torch.empty(blocks, length, dtype=walks.dtype)
        places = torch.empty(blocks * length, dtype=torch.int64)
        grads, table = self._scratch(blocks * length), self.table.numpy()
        gradients(row_chunks(blocks), walks.numpy(), self.noise.numpy(), table, self.window, seed, nodes.numpy(),
                  grads.view(blocks, length, -1).numpy())  # fmt: skip
        places_by_node(nodes.view(-1).numpy(), self._indptr.numpy(), places.numpy())
        ascend(row_chunks(len(table)), self._indptr.numpy(), places.numpy(), grads.numpy(), lr, table,
               self.squares.numpy())  # fmt: skip

    def _scratch(self, rows: int) -> Tensor:
        """(rows, D) uninitialised, in memory that is kept from step to step."""
        if len(self._grads) < rows:
            from agdn.ops.kernels.buffers import empty

            self._grads = empty((rows, self.table.size(1)), self.table.dtype)
        return self._grads[:rows]
