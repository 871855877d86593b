"""Which labels a row has, learnt among those that are hard to tell apart: one level of a tree of labels.

For row i with vector h_i the labels C_i that stand for choice are the children of the clusters that the level above
ranked highest for it (its matched clusters), and its true labels wherever they lie:

    s_ic = scale <h_i, t_c>        loss_i = - sum over c in C_i of y_ic log softmax(s_i)_c
    - dloss_i / ds_ic = y_ic - softmax(s_i)_c, zero outside C_i

y_ic are shares of the truth that sum to one. Labels that the level above rules out cost nothing, so a step takes time
in proportion to the matched clusters and not to the labels.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from agdn.ops.row_table import RowTable


class TrueLabels(NamedTuple):
    """The labels of row i are ``labels[indptr[i]:indptr[i + 1]]``, ascending; their ``shares`` sum to one."""

    indptr: Tensor  # (N + 1,) int64
    labels: Tensor  # int32
    shares: Tensor  # float32


class LabelRanking:
    """The vectors of the labels of one level in training.

    Args:
        vectors: (K, D) to start from, in the order of the tree's leaves.
        children: (P + 1,) int64: the children of cluster p of the level above are labels children[p]:children[p + 1].
        truth: The labels of all N rows.
        scale: Of the scores; h and t have about unit length.
    """

    def __init__(self, vectors: Tensor, *, children: Tensor, truth: TrueLabels, scale: float) -> None:
        self.vectors = RowTable(vectors)
        self.children, self.truth, self.scale = children, truth, scale

    def candidates(self, rows: Tensor, matched: Tensor) -> Tensor:
        """(B + 1,) where the labels that stand for choice of each row begin; ``matched`` (N, b) ascends in each row."""
        from agdn.ops.kernels.jit import use_threads
        from agdn.ops.kernels.label_ranking import candidate_counts

        use_threads()
        starts = torch.zeros(len(rows) + 1, dtype=torch.int64)
        candidate_counts(rows.numpy(), matched.numpy(), self.children.numpy(), self.truth.indptr.numpy(),
                         self.truth.labels.numpy(), starts[1:].numpy())  # fmt: skip
        return starts.cumsum(0)

    def step(self, rows: Tensor, h: Tensor, matched: Tensor, *, lr: float) -> tuple[Tensor, Tensor]:
        """Move the labels of a batch once; returns the losses (B,) and their gradients of ``h`` (B, D)."""
        pulls = self.pulls(rows, h, matched)
        self.vectors.step(pulls.labels, pulls.owners, pulls.factors, h, lr=lr)
        return pulls.losses, -pulls.gradients

    def pulls(self, rows: Tensor, h: Tensor, matched: Tensor) -> Pulls:
        """What a step is made of, before anything moves."""
        from agdn.ops.kernels.jit import row_chunks
        from agdn.ops.kernels.label_ranking import pulls

        starts, h = self.candidates(rows, matched), h.contiguous()
        count = int(starts[-1])
        out = Pulls(
            starts,
            labels=torch.empty(count, dtype=torch.int32),
            owners=torch.empty(count, dtype=torch.int32),
            factors=torch.empty(count),
            gradients=torch.empty_like(h),
            losses=torch.empty(len(rows)),
        )
        inputs = (rows, h, matched, self.children, *self.truth, self.vectors.table)
        pulls(row_chunks(len(rows)), starts.numpy(), *(array.numpy() for array in inputs), self.scale,
              *(array.numpy() for array in out[1:]))  # fmt: skip
        return out

    def best(self, h: Tensor, matched: Tensor, count: int) -> Tensor:
        """(N, count) the labels that rank highest for each row among its matched clusters' children, ascending."""
        from agdn.ops.kernels.jit import row_chunks, use_threads
        from agdn.ops.kernels.label_ranking import best_labels

        use_threads()
        out = torch.empty(len(h), min(count, len(self.vectors.table)), dtype=torch.int32)
        best_labels(row_chunks(len(h)), h.contiguous().numpy(), matched.numpy(), self.children.numpy(),
                    self.vectors.table.numpy(), out.numpy())  # fmt: skip
        return out


class Pulls(NamedTuple):
    """Candidate p of row ``owners[p]`` is ``labels[p]``; it is to move along ``factors[p]`` times the row's vector."""

    starts: Tensor  # (B + 1,) where each row's candidates begin
    labels: Tensor
    owners: Tensor
    factors: Tensor
    gradients: Tensor  # (B, D) of the rows' vectors, downhill
    losses: Tensor  # (B,)
