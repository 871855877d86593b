"""The smallest keys of all ranks, found without bringing them together."""

from __future__ import annotations

import torch

from agdn.distributed.selection import smallest
from agdn.distributed.world import World


class TwoHalves(World):
    """A world of one process that has the other one's answers at hand."""

    def __init__(self, other: list[torch.Tensor]) -> None:
        super().__init__(0, 2)
        self.other = other

    def sum(self, values: torch.Tensor, what: str = "sum") -> torch.Tensor:
        self.other.append(values)
        return values


def test_the_smallest_of_one_rank() -> None:
    keys = torch.randint(-(2**63), 2**63 - 1, (5000,), dtype=torch.int64)
    for count in (0, 1, 17, 2500, 4999, 5000, 6000):
        mask = smallest(keys, count, TwoHalves([]))
        assert int(mask.sum()) == min(count, 5000)
        if 0 < count < 5000:
            assert int(keys[mask].max()) < int(keys[~mask].min())


def test_keys_with_a_common_beginning() -> None:
    keys = torch.arange(-300, 300, dtype=torch.int64)[torch.randperm(600)]
    mask = smallest(keys, 100, TwoHalves([]))
    assert torch.equal(keys[mask].sort().values, torch.arange(-300, -200))
