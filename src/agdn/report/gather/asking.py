"""The models of several seeds, asked one after the other, and why some could not be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from agdn.experiments.result import Run
from agdn.report.gather.reproduce import seeds_text

Answer = TypeVar("Answer")


@dataclass
class Asking(Generic[Answer]):
    """Runs through the answers once; ``seeds`` and ``missing`` are complete after that.

    Attributes:
        seeds: Those that could be asked.
        reasons: Why others could not, and which.
    """

    runs: Sequence[Run]
    ask: Callable[[Run], Answer]
    seeds: list[int] = field(default_factory=list)
    reasons: dict[str, list[int]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Answer]:
        for run in self.runs:
            try:
                answer = self.ask(run)
            except (ValueError, OSError) as error:
                self.reasons.setdefault(str(error), []).append(run.seed)
                continue
            self.seeds.append(run.seed)
            yield answer

    @property
    def missing(self) -> tuple[str, ...]:
        """In sentences."""
        return tuple(
            f"seed{'s' * (len(seeds) > 1)} {seeds_text(seeds)}: {reason}" for reason, seeds in self.reasons.items()
        )
