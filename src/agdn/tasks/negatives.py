"""Pairs that are not linked, drawn for the positives of a batch: column ``n * i + j`` is the j-th of positive i."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from agdn.data.pair_keys import among, ordered_keys

Kind = Literal["global", "strict", "per_source", "permuted"]
ROUNDS = 100  # of drawing again what is a known edge


@dataclass(frozen=True)
class KnownPairs:
    """The pairs that a strict negative must not be: the edges that training knows.

    Attributes:
        keys: Sorted ``source * num_nodes + target``.
    """

    keys: Tensor
    num_nodes: int

    @classmethod
    def of(cls, edge_index: Tensor, num_nodes: int) -> KnownPairs:
        return cls(ordered_keys(edge_index.long(), num_nodes).unique(), num_nodes)

    def holds(self, pairs: Tensor) -> Tensor:
        """(P,) whether each pair is known."""
        return among(ordered_keys(pairs, self.num_nodes), self.keys)


def draw_negatives(
    kind: Kind,
    positives: Tensor,
    per_edge: int,
    num_nodes: int,
    generator: torch.Generator,
    known: KnownPairs | None = None,
) -> Tensor:
    """(2, B * per_edge) for (2, B) positives.

    ``global``: any two nodes; a known edge or a node with itself may be among them, as in the published runs.
    ``strict``: neither. ``per_source``: the positive's source with any node. ``permuted``: one strict pair a positive,
    which serves it and, in ``per_edge`` - 1 other orders, others.
    """
    return _DRAWS[kind](positives, per_edge, num_nodes, generator, known)


def _global(positives: Tensor, per_edge: int, num_nodes: int, generator: torch.Generator, known: object) -> Tensor:
    return torch.randint(num_nodes, (2, positives.size(1) * per_edge), generator=generator)


def _per_source(positives: Tensor, per_edge: int, num_nodes: int, generator: torch.Generator, known: object) -> Tensor:
    source = positives[0].repeat_interleave(per_edge)
    return torch.stack([source, torch.randint(num_nodes, source.shape, generator=generator)])


def _strict(
    positives: Tensor, per_edge: int, num_nodes: int, generator: torch.Generator, known: KnownPairs | None
) -> Tensor:
    if known is None:
        raise ValueError("strict and permuted negatives need the known edges")
    pairs = _global(positives, per_edge, num_nodes, generator, known)
    for _ in range(ROUNDS):
        again = ((pairs[0] == pairs[1]) | known.holds(pairs)).nonzero().squeeze(1)
        if not len(again):
            return pairs
        pairs[:, again] = torch.randint(num_nodes, (2, len(again)), generator=generator)
    raise ValueError(
        f"{len(again)} of {pairs.size(1)} negatives were still known edges after {ROUNDS} draws: "
        "nearly all pairs of nodes are linked; use global negatives"
    )


def _permuted(
    positives: Tensor, per_edge: int, num_nodes: int, generator: torch.Generator, known: KnownPairs | None
) -> Tensor:
    once = _strict(positives, 1, num_nodes, generator, known)
    count = once.size(1)
    orders = [torch.arange(count), *(torch.randperm(count, generator=generator) for _ in range(per_edge - 1))]
    return once[:, torch.stack(orders, 1).reshape(-1)]


_DRAWS: dict[Kind, Callable[..., Tensor]] = {
    "global": _global,
    "strict": _strict,
    "per_source": _per_source,
    "permuted": _permuted,
}
