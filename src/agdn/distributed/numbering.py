"""Running sums over the nodes of the whole graph, whose counts lie on several ranks.

Rank r adds up block r of the node ids: counts go there, sums come back, and the blocks' totals are known to all.
"""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.distributed.world import World


class Numbering:
    """``nodes`` (N,) are this rank's node ids of ``total``, ascending; every node belongs to one rank."""

    def __init__(self, world: World, nodes: Tensor, total: int) -> None:
        self.world, self.block = world, -(-total // world.size)
        blocks = torch.div(nodes, max(self.block, 1), rounding_mode="floor")
        self._outgoing: list[int] = torch.bincount(blocks, minlength=world.size).tolist()
        sizes, one_each = torch.tensor(self._outgoing), [1] * world.size
        self._incoming: list[int] = world.begin_all_to_all(sizes, one_each, one_each, "numbers")().tolist()
        ids = world.begin_all_to_all(nodes, self._outgoing, self._incoming, "numbers")()
        self._at = ids - world.rank * self.block

    def before(self, counts: Tensor) -> Tensor:
        """(N,) the sum of all ranks' counts of the nodes in front of each own node."""
        world = self.world
        received = world.begin_all_to_all(counts, self._outgoing, self._incoming, "numbers")()
        block = counts.new_zeros(self.block)
        block[self._at] = received
        totals = counts.new_zeros(world.size)
        totals[world.rank] = received.sum()
        begin = world.sum(totals, "numbers")[: world.rank].sum()
        sums = begin + block.cumsum(0) - block
        return world.begin_all_to_all(sums[self._at], self._incoming, self._outgoing, "numbers")()
