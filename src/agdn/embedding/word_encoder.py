"""Texts as the words that they are made of -> vectors: a table of word vectors, and one hidden layer beside it.

    u_i = sum over the words w of text i of x_iw e_w        v = sqrt(D) u / |u|        h = normalise(v + B relu(A v))

x are TF-IDF weights; e start from the leading singular directions of x, and B from zero, so that an untrained encoder
is TF-IDF with a truncated singular value decomposition.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch.nn.functional import normalize

from agdn.ops.row_table import RowTable
from agdn.ops.sparse_rows import entry_places

ENCODED_AT_ONCE = 1 << 15


class Entries(NamedTuple):
    """The words of a batch of texts: those of text b are ``words[indptr[b]:indptr[b + 1]]``."""

    indptr: Tensor
    words: Tensor
    values: Tensor


class WordEncoder:
    """Args:
    weights: (N, words) of all texts.
    table: (words, D) to start from; its scale does not matter.
    hidden: Width of the hidden layer; 0 for none.
    word_dropout: Share of a text's words that a step does not see.
    lr: Step of the word vectors (Adagrad), in units of their root mean square.
    layer_lr: Step of the hidden layer (Adam).
    generator: Draws the layer and the words that are dropped.
    """

    def __init__(
        self,
        weights: csr_array,
        table: Tensor,
        *,
        hidden: int,
        word_dropout: float,
        lr: float,
        layer_lr: float,
        generator: torch.Generator,
    ) -> None:
        self.indptr, self.words = torch.from_numpy(weights.indptr).long(), torch.from_numpy(weights.indices).int()
        self.values = torch.from_numpy(weights.data).float()
        self.vectors = RowTable(table / table.square().mean().sqrt().clamp(min=1e-12))
        self.width, self.word_dropout, self.generator = table.size(1), word_dropout, generator
        self.lr, self.layer_lr = lr, layer_lr
        self.layer = _layer(self.width, hidden, generator) if hidden else None
        self.begin_level()

    def begin_level(self) -> None:
        """Steps begin anew: what the rows have seen of another task is forgotten."""
        self.vectors.squares.zero_()
        self._optimizer = None if self.layer is None else torch.optim.Adam(self.layer.parameters(), lr=self.layer_lr)

    def encode(self) -> Tensor:
        parts = torch.arange(len(self.indptr) - 1).split(ENCODED_AT_ONCE)
        with torch.no_grad():
            return torch.cat([self._directions(self.vectors.sums(*self._entries(part))) for part in parts])

    def forward(self, rows: Tensor) -> Tensor:
        entries = self._entries(rows)
        kept = torch.rand(len(entries.values), generator=self.generator) >= self.word_dropout
        self._seen = entries._replace(values=entries.values * kept)
        self._sums = self.vectors.sums(*self._seen).requires_grad_()
        return self._directions(self._sums)

    def backward(self, h: Tensor, gradient: Tensor, *, rate: float) -> None:
        h.backward(gradient)
        assert self._sums.grad is not None
        indptr, words, values = self._seen
        owners = torch.arange(len(h), dtype=torch.int32).repeat_interleave(indptr.diff())
        self.vectors.step(words, owners, values, -self._sums.grad, lr=self.lr * rate)
        if self._optimizer is not None:
            self._optimizer.param_groups[0]["lr"] = self.layer_lr * rate
            self._optimizer.step()
            self._optimizer.zero_grad()

    def _directions(self, u: Tensor) -> Tensor:
        v = normalize(u) * self.width**0.5
        return normalize(v if self.layer is None else v + self.layer(v))

    def _entries(self, rows: Tensor) -> Entries:
        indptr, places = entry_places(self.indptr, rows)
        return Entries(indptr, self.words[places], self.values[places])


def _layer(width: int, hidden: int, generator: torch.Generator) -> nn.Module:
    layer = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))
    bound = width**-0.5
    with torch.no_grad():
        for parameter in layer[0].parameters():
            parameter.uniform_(-bound, bound, generator=generator)
        for parameter in layer[2].parameters():
            parameter.zero_()
    return layer
