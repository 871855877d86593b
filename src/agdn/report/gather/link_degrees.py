"""Which edges are found, by how much is known about their ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agdn.report.gather.curves import Curve, combined
from agdn.report.gather.link_answers import LinkAnswers
from agdn.report.gather.link_merit import merit

GROUPS = 6


@dataclass(frozen=True)
class ByDegree:
    """Test edges by the smaller number of neighbours that one of their ends has.

    Attributes:
        names: Of the groups, such as ``2-4``.
        measured: What the curve tells of each group, mean over its edges, in 0..1.
        counts: Edges of each group, mean over the seeds.
    """

    names: tuple[str, ...]
    measured: str
    curve: Curve
    counts: tuple[float, ...]


@dataclass(frozen=True)
class SeedDegrees:
    """The same of one seed: (G,) sums and counts, and the degree with which each group begins."""

    starts: np.ndarray
    measured: str
    sums: np.ndarray
    counts: np.ndarray


def of_seed(asked: LinkAnswers, starts: np.ndarray | None = None) -> SeedDegrees:
    """``starts`` of another seed, so that both have the same groups; by default such that groups are alike in size."""
    smaller = asked.neighbours.in_degree.numpy()[asked.split.test.numpy()].min(0)
    found = merit(asked)
    starts = group_starts(smaller) if starts is None else starts
    group = np.searchsorted(starts, smaller, side="right") - 1
    sums = np.bincount(group, weights=found.values.double().numpy(), minlength=len(starts))
    return SeedDegrees(starts, found.name, sums, np.bincount(group, minlength=len(starts)))


def by_degree(seeds: Sequence[SeedDegrees]) -> ByDegree:
    first = seeds[0]
    values = [
        {int(group): float(seed.sums[group] / seed.counts[group]) for group in np.flatnonzero(seed.counts)}
        for seed in seeds
    ]
    curve = combined(values)
    assert curve is not None, "a test part has edges"
    counts = np.mean([seed.counts for seed in seeds], axis=0)
    return ByDegree(group_names(first.starts), first.measured, curve, tuple(counts.tolist()))


def group_starts(degrees: np.ndarray, groups: int = GROUPS) -> np.ndarray:
    """By quantiles; the first group begins at 0."""
    starts: np.ndarray = np.unique(np.sort(degrees)[np.arange(groups) * len(degrees) // groups])
    starts[0] = 0
    return starts


def group_names(starts: np.ndarray) -> tuple[str, ...]:
    """(0, 1, 3) -> ``0``, ``1-2``, ``3+``."""
    ends = [int(start) - 1 for start in starts[1:]]
    spans = [
        str(int(start)) if start == end else f"{int(start)}\N{EN DASH}{end}"
        for start, end in zip(starts, ends, strict=False)
    ]
    return (*spans, f"{int(starts[-1])}+")
