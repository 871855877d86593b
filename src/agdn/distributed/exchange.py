"""Rows of the halo from their owners, and what belongs to these rows back to them."""

from __future__ import annotations

from functools import cached_property
from math import prod

import torch
from torch import Tensor

from agdn.distributed.numbering import Numbering
from agdn.distributed.selection import smallest
from agdn.distributed.world import World
from agdn.ops.halo import Waiting
from agdn.ops.sparse_rows import positions

ROWS, GRADIENTS = "halo rows", "halo gradients"


class Exchange:
    """Who has which rows of whom; see :class:`agdn.ops.halo.Halo` for what is asked of it.

    Args:
        nodes: (N,) ids of the own nodes, ascending.
        halo: (B,) ids of the halo, by owner.
        owners: (B,) ranks that own them, ascending.
        total: Nodes of all ranks.
    """

    def __init__(self, world: World, nodes: Tensor, halo: Tensor, owners: Tensor, total: int) -> None:
        self.world, self.size = world, len(halo)
        self._nodes, self._total = nodes, total
        self._asked = torch.bincount(owners, minlength=world.size).tolist()
        counts = world.begin_all_to_all(torch.tensor(self._asked), [1] * world.size, [1] * world.size, "halo sizes")()
        self._given: list[int] = counts.tolist()
        wanted = world.begin_all_to_all(halo, self._asked, self._given, "halo ids")()
        self.sent = torch.searchsorted(nodes, wanted)
        if len(wanted) and (len(nodes) == 0 or not torch.equal(nodes[self.sent.clamp(max=len(nodes) - 1)], wanted)):
            raise ValueError(f"rank {world.rank} is asked for nodes that it does not own; partition the graph again")

    def begin(self, rows: Tensor) -> Waiting:
        return self._begin(rows[self.sent], self._given, self._asked, ROWS)

    def begin_return(self, rows: Tensor) -> Waiting:
        return self._begin(rows.contiguous(), self._asked, self._given, GRADIENTS)

    def _begin(self, rows: Tensor, outgoing: list[int], incoming: list[int], what: str) -> Waiting:
        shape = rows.shape[1:]
        width = prod(shape)
        flat = rows.reshape(-1)
        waiting = self.world.begin_all_to_all(flat, [width * n for n in outgoing], [width * n for n in incoming], what)
        return lambda: waiting().view(-1, *shape) if width else rows.new_empty(sum(incoming), *shape)

    def sum(self, values: Tensor) -> Tensor:
        return self.world.sum(values)

    @cached_property
    def _numbering(self) -> Numbering:
        return Numbering(self.world, self._nodes, self._total)

    def places(self, counts: Tensor) -> Tensor:
        return positions(self._numbering.before(counts), counts)

    def smallest(self, keys: Tensor, count: int) -> Tensor:
        return smallest(keys, count, self.world)
