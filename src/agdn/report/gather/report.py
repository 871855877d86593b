"""All that a page tells, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agdn.experiments.config import Config
from agdn.experiments.result import Result
from agdn.report.gather.curves import Curves, read_curves
from agdn.report.gather.findings import Findings, Wanted, findings
from agdn.report.gather.link_findings import link_findings
from agdn.report.gather.reproduce import command
from agdn.report.gather.runs import Seeds, by_configuration, found_runs
from agdn.report.gather.subject import Subject, subject
from agdn.report.gather.views import MOST_OF_A_RECIPE, MOST_VIEWS


@dataclass(frozen=True)
class Recipe:
    """One configuration and its seeds."""

    label: str
    config: Config
    result: Result
    curves: Curves
    findings: Findings
    command: str

    @property
    def subject(self) -> Subject:
        """What its parts are made of."""
        return subject(self.result.runs[0])


@dataclass(frozen=True)
class Report:
    recipes: tuple[Recipe, ...]

    @property
    def runs(self) -> int:
        return sum(len(recipe.result.runs) for recipe in self.recipes)

    @property
    def missing(self) -> list[str]:
        """What could not be had, and why, in sentences."""
        return [f"{recipe.label}, {reason}" for recipe in self.recipes for reason in recipe.findings.missing]

    def to_json(self) -> dict[str, Any]:
        return {
            "runs": self.runs,
            "missing": self.missing,
            "recipes": [recipe.result.to_json() for recipe in self.recipes],
        }


def gather(folders: Sequence[Path], *, nodes: Sequence[str] = ()) -> Report:
    """The report of the runs in ``folders``; ``nodes`` are the ids of those whose surroundings to show."""
    groups = by_configuration(found_runs(folders))
    if nodes and all(_of_links(group) for group in groups):
        raise ValueError("these runs predict links; --node shows what surrounds a node whose label is predicted")
    wanted = Wanted(nodes, max(1, min(MOST_OF_A_RECIPE, MOST_VIEWS // len(groups))))
    return Report(
        tuple(
            Recipe(
                group.label,
                group.config,
                group.result,
                read_curves(group.result.runs),
                link_findings(group.result.runs) if _of_links(group) else findings(group.result.runs, wanted),
                command(group.config, [run.seed for run in group.result.runs]),
            )
            for group in groups
        )
    )


def _of_links(group: Seeds) -> bool:
    return subject(group.result.runs[0]) == "edges"
