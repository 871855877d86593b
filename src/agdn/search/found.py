"""What a search found, as plain records."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Final:
    """A finalist on the final seeds: its scores, or why there are none."""

    seeds: tuple[int, ...]
    scores: tuple[float, ...] = ()
    reason: str | None = None

    @property
    def score(self) -> float | None:
        return statistics.fmean(self.scores) if self.scores else None

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "score": self.score}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Final:
        return cls(tuple(content["seeds"]), tuple(content["scores"]), content["reason"])


@dataclass(frozen=True)
class Trial:
    """A trial that is done.

    Attributes:
        state: ``complete``, ``pruned`` or ``failed``.
        setting: The keys that were searched, and what they were.
        score: The mean validation score over the seeds; of a pruned one, of what it had done.
        reason: Why it failed.
    """

    number: int
    state: str
    setting: dict[str, Any]
    score: float | None
    scores: tuple[float, ...]
    reason: str | None
    seconds: float
    final: Final | None = None

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "final": None if self.final is None else self.final.to_json()}


@dataclass(frozen=True)
class Found:
    """The end of a search.

    Attributes:
        ranked: The complete trials, the chosen one first: finalists by their final scores, then the others.
        recipe: The file that holds the chosen setting.
        importance: By key, as shares; empty where there are too few trials to tell.
    """

    name: str
    metric: str
    seeds: tuple[int, ...]
    final_seeds: tuple[int, ...]
    trials: tuple[Trial, ...]
    ranked: tuple[Trial, ...]
    recipe: Path
    importance: dict[str, float]

    @property
    def best(self) -> Trial:
        return self.ranked[0]

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "metric": self.metric,
            "seeds": list(self.seeds),
            "final_seeds": list(self.final_seeds),
            "recipe": str(self.recipe),
            "best": self.best.to_json(),
            "importance": self.importance,
            "trials": [trial.to_json() for trial in self.trials],
        }
