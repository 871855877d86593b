"""How training went: the logs of several seeds as one curve with its spread, at most so many points long."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agdn.experiments.result import Run
from agdn.tasks.node import PARTS
from agdn.training.run import LOG_NAME

MOST_POINTS = 240
LOSSES = {"train": "loss", "valid": "valid_loss"}


@dataclass(frozen=True)
class Curve:
    """One quantity along another, such as the epochs.

    Attributes:
        x: The epoch of each point; where points stand for several epochs, the last of them.
        mean, low, high: Over the seeds (and the epochs of a point).
        seeds: How many were still in training.
        each: How many epochs a point stands for.
    """

    x: tuple[float, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    seeds: tuple[int, ...]
    each: int = 1

    def scaled(self, factor: float) -> Curve:
        mean, low, high = (tuple(factor * value for value in row) for row in (self.mean, self.low, self.high))
        return Curve(self.x, mean, low, high, self.seeds, self.each)


@dataclass(frozen=True)
class Curves:
    """Of one recipe, by part; a part that was never evaluated is missing."""

    losses: dict[str, Curve]
    scores: dict[str, Curve]


def read_curves(runs: Sequence[Run]) -> Curves:
    logs = [read_log(run.folder / LOG_NAME) for run in runs]
    metric = runs[0].metric
    losses = {part: combined([_values(log, key) for log in logs]) for part, key in LOSSES.items()}
    scores = {part: combined([_values(log, part, metric) for log in logs]) for part in PARTS}
    return Curves(_present(losses), _present(scores))


def read_log(path: Path) -> list[dict[str, Any]]:
    """The records of a log, one an epoch; none where nothing was trained and so nothing logged."""
    if not path.is_file():
        return []
    rows = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            row = json.loads(line)
            rows.append({"epoch": int(row["epoch"]), **row})
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path}, line {number} is damaged: it is not the record of an epoch") from None
    return rows


def combined(seeds: Sequence[Mapping[int, float]], *, most: int = MOST_POINTS) -> Curve | None:
    """Values by epoch or whatever else they lie along, one mapping a seed -> their mean and range; None without any."""
    epochs = sorted({epoch for values in seeds for epoch in values})
    if not epochs:
        return None
    each = -(-len(epochs) // most)
    points = [epochs[start : start + each] for start in range(0, len(epochs), each)]
    mean, low, high, count = [], [], [], []
    for point in points:
        by_seed = [found for values in seeds if (found := [values[epoch] for epoch in point if epoch in values])]
        mean.append(float(np.mean([np.mean(found) for found in by_seed])))
        low.append(min(min(found) for found in by_seed))
        high.append(max(max(found) for found in by_seed))
        count.append(len(by_seed))
    return Curve(tuple(point[-1] for point in points), tuple(mean), tuple(low), tuple(high), tuple(count), each)


def _values(log: Sequence[dict[str, Any]], *path: str) -> dict[int, float]:
    found: dict[int, float] = {}
    for row in log:
        value: Any = row
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, int | float) and np.isfinite(value):
            found[row["epoch"]] = float(value)
    return found


def _present(curves: dict[str, Curve | None]) -> dict[str, Curve]:
    return {name: curve for name, curve in curves.items() if curve is not None}
