"""A search that is to be made: the recipe, what is varied and how much effort it is worth, all checked beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agdn.experiments.config import Config
from agdn.experiments.recipes import read_recipe
from agdn.experiments.run import located
from agdn.experiments.seeds import chosen_seeds
from agdn.search.space import Space, assignments, check_space, find_space

JOURNAL, BEST = "tune.journal", "tuned.yaml"
USUAL_SPACE = "usual"


@dataclass(frozen=True)
class Effort:
    """How much is searched.

    Attributes:
        trials: How many are to be done in the end, those of earlier sittings included.
        seeds: What every trial is trained on; others than those that results are reported on.
        finalists, final_seeds: So many of the best are judged again, on these, and the best of them is chosen.
        startup: So many settings are drawn at random before earlier ones are learnt from.
        seed: Of the draws. With one job the same seed gives the same trials.
        prune: End a trial that lies below the median of the others at the same step.
        jobs: Trials at a time, each in a process of its own; the cores are shared out among them.
    """

    trials: int = 20
    seeds: tuple[int, ...] = (100, 101)
    finalists: int = 3
    final_seeds: tuple[int, ...] = (102, 103, 104, 105)
    startup: int = 10
    seed: int = 0
    prune: bool = True
    jobs: int = 1

    def __post_init__(self) -> None:
        for name, least in (("trials", 1), ("finalists", 0), ("startup", 0), ("seed", 0), ("jobs", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}, got {getattr(self, name)}")
        for seeds in (self.seeds, self.final_seeds):
            chosen_seeds(seeds)


@dataclass(frozen=True)
class Plan:
    """A recipe to be tuned.

    Attributes:
        changes: ``key.path=value`` changes that every trial has.
        config: The recipe with these changes.
        file: The journal that the search goes on from.
        best: Where the best setting is written, as a recipe.
    """

    recipe: str
    changes: tuple[str, ...]
    config: Config
    space: Space
    effort: Effort
    data: Path | None
    file: Path
    best: Path

    @property
    def name(self) -> str:
        return self.config.name

    def config_of(self, setting: Mapping[str, Any]) -> Config:
        """The recipe with a trial's setting."""
        return located(read_recipe(self.recipe, [*self.changes, *assignments(setting)]), self.data)


def planned(
    recipe: str | Path,
    effort: Effort,
    *,
    space: str = USUAL_SPACE,
    changes: Sequence[str] = (),
    data: Path | None = None,
    out: Path = Path("runs"),
    file: Path | None = None,
    best: Path | None = None,
) -> Plan:
    """The search that is meant; ``space`` is a YAML file or a family of spaces, which has one for every model."""
    config = located(read_recipe(recipe, changes), data)
    found = find_space(space, config.model["name"])
    check_space(found, str(recipe), changes)
    folder = out / config.name
    return Plan(
        recipe=str(recipe),
        changes=tuple(changes),
        config=config,
        space=found,
        effort=effort,
        data=data,
        file=file or folder / JOURNAL,
        best=best or folder / BEST,
    )
