"""Seed nodes in batches."""

from __future__ import annotations

import torch
from torch import Tensor

from agdn.graph import Graph
from agdn.ops.checks import check_seed
from agdn.sampling.batch import check_index
from agdn.sampling.streams import EachEpoch, derived

ORDER, DRAWS = 0, 1  # what the seed is used for


class SeedBatches:
    """So many seeds a batch, the rest in the last one; in a new order each epoch or always as they were given.

    Args:
        seeds: (S,) different node ids, or an (N,) mask.
        smallest: A rest of fewer seeds joins the batch before it.
    """

    def __init__(
        self, graph: Graph, seeds: Tensor, batch_size: int, *, shuffle: bool, seed: int, smallest: int = 1
    ) -> None:
        check_seed(seed)
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, got {batch_size}")
        self.seeds = _ids(seeds, graph.num_nodes).to(graph.indices.dtype)
        self.batch_size, self.shuffle, self.seed, self.smallest = batch_size, shuffle, seed, smallest
        self._ordered = EachEpoch(self._order)

    def __len__(self) -> int:
        full, rest = divmod(len(self.seeds), self.batch_size)
        return full + (rest >= self.smallest or (full == 0 and rest > 0))

    def seeds_of(self, epoch: int, index: int) -> Tensor:
        """The seeds of a batch."""
        check_index(epoch, index, len(self))
        seeds = self._ordered(epoch) if self.shuffle else self.seeds
        end = len(seeds) if index == len(self) - 1 else (index + 1) * self.batch_size
        return seeds[index * self.batch_size : end]

    def draws_of(self, epoch: int, index: int) -> int:
        """What fixes the random draws of a batch."""
        return derived(self.seed, DRAWS, epoch, index)

    def _order(self, epoch: int) -> Tensor:
        generator = torch.Generator().manual_seed(derived(self.seed, ORDER, epoch))
        return self.seeds[torch.randperm(len(self.seeds), generator=generator)]


def _ids(seeds: Tensor, num_nodes: int) -> Tensor:
    seeds = seeds.cpu()
    if seeds.dim() != 1 or seeds.is_floating_point():
        raise ValueError(f"seeds must be node ids or a mask, got {seeds.dtype} of shape {tuple(seeds.shape)}")
    if seeds.dtype == torch.bool:
        if len(seeds) != num_nodes:
            raise ValueError(f"a mask of seeds must have one entry for each of the {num_nodes} nodes, got {len(seeds)}")
        return seeds.nonzero().squeeze(1)
    if len(seeds) and not 0 <= int(seeds.min()) <= int(seeds.max()) < num_nodes:
        span = f"{int(seeds.min())}..{int(seeds.max())}"
        raise ValueError(f"seeds name nodes {span}, but the graph has {num_nodes} nodes (ids from 0)")
    if len(seeds.unique()) != len(seeds):
        raise ValueError("a seed is repeated; give each node once")
    return seeds
