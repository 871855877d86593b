"""Two groups of nodes, linked within: what a link model learns in a moment."""

from __future__ import annotations

from dataclasses import replace

import torch

from agdn.data.dataset import Dataset
from agdn.data.edge_splits import split_edges
from agdn.graph import Graph

N = 40


def linked(metric: str = "rocauc", *, features: bool = True, weights: bool = False, seed: int = 0) -> Dataset:
    generator = torch.Generator().manual_seed(seed)
    group = torch.arange(N) % 2
    pairs = torch.combinations(torch.arange(N)).t()
    near = group[pairs[0]] == group[pairs[1]]
    chosen = torch.rand(pairs.size(1), generator=generator) < torch.where(near, 0.8, 0.02)
    both = torch.cat([pairs[:, chosen], pairs[:, chosen].flip(0)], dim=1)
    weight = (1 + both.sum(0) % 3).float()
    x = torch.randn(N, 6, generator=generator) + 2 * group[:, None]
    dataset = Dataset(
        "toy-links",
        Graph(both, N),
        target="link",
        metric=metric,
        x=x if features else None,
        edge_weight=weight if weights else None,
    )
    return replace(split_edges(dataset, valid=0.1, test=0.1, seed=seed), metric=metric)


def with_own_negatives(dataset: Dataset, count: int = 5) -> Dataset:
    """Every valid and test edge with so many negatives of its own, as in ogbl-citation2."""
    generator, split = torch.Generator().manual_seed(3), dataset.splits[0]
    edges = torch.cat([dataset.graph.edge_index, split.train, split.valid, split.test], dim=1)  # type: ignore[union-attr]
    taken = torch.zeros(N, N, dtype=torch.bool)
    taken[edges[0], edges[1]] = taken[edges[1], edges[0]] = True

    def negatives(positives: torch.Tensor) -> torch.Tensor:
        sources = positives[0].repeat_interleave(count)
        targets = torch.multinomial((~taken[sources]).float(), 1, generator=generator).squeeze(1)
        return torch.stack([sources, targets])

    drawn = {f"{part}_negative": negatives(getattr(split, part)) for part in ("valid", "test")}
    return replace(dataset, splits=(replace(split, **drawn, negatives_per_edge=count),), metric="mrr")  # type: ignore[type-var, arg-type]
