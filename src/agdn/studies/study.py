"""What a study is: a plan of experiments, and what to make of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agdn.experiments.checking import checked
from agdn.experiments.config import Config
from agdn.experiments.load import TrainedModel
from agdn.experiments.overrides import merged
from agdn.experiments.result import Run
from agdn.experiments.section import Section
from agdn.studies.page import Page

Facts = Mapping[str, str | int | float | bool]


@dataclass(frozen=True)
class Cell:
    """One experiment of a study, run once a seed.

    Attributes:
        facts: What sets it apart from the others, by name: columns of tables, axes and lines of figures.
        config: What is run; its name, under which its runs are kept, is its own.
    """

    facts: Facts
    config: Config


@dataclass(frozen=True)
class Outcome:
    """One seed of a cell, finished.

    Attributes:
        observed: What the study observed of it, or what was measured.
        run: The record of its run; None where nothing was trained.
    """

    facts: Facts
    seed: int
    observed: Mapping[str, Any]
    run: Run | None = None

    @property
    def trained(self) -> Run:
        assert self.run is not None, "asked of a study that trains"
        return self.run

    def row(self) -> dict[str, Any]:
        """Everything in one flat record: a line of the study's CSV file."""
        told = {key: value for key, value in self.observed.items() if not isinstance(value, list | dict)}
        if self.run is None:
            return {**self.facts, **told}
        run = self.run
        scores = {f"{part} {run.metric}": run.score(part) for part in ("train", "valid", "test") if part in run.scores}
        sizes = {"best epoch": run.best_epoch, "epochs": run.epochs, "parameters": run.parameters}
        return {**self.facts, "seed": self.seed, **scores, **sizes, "seconds": run.seconds, **told}


@dataclass(frozen=True)
class Study:
    """A study; see :mod:`agdn.studies` for what its parts are.

    Attributes:
        summary: One sentence for ``agdn list studies``.
        work: ``train``, a run a cell and seed, or ``measure``, time and memory of each cell in a process of its own.
        seeds: Which, where the user names none.
        frame: Where the study builds its networks itself, the options that it takes from a recipe's model; None where
            the models are the recipes' own.
    """

    name: str
    summary: str
    settings: type[Section]
    cells: Callable[[Any, Sequence[str]], list[Cell]]
    page: Callable[[Any, Sequence[Outcome]], Page]
    observe: Callable[[TrainedModel], dict[str, Any]] | None = None
    work: Literal["train", "measure"] = "train"
    seeds: str = "0-2"
    frame: tuple[str, ...] | None = None


def cell_of(
    study: str,
    base: Config,
    facts: Facts,
    own: Mapping[str, Any] | None = None,
    *,
    network: Mapping[str, Any] | None = None,
    shown: Facts | None = None,
) -> Cell:
    """A recipe with the cell's ``own`` changes, which are what the study is about, on top.

    ``network`` takes the place of the recipe's model, of which nothing stays. The run is named after the study, the
    recipe and the facts (``shown``: only these).
    """
    content = {**base.model_dump(mode="json"), "published": None}
    if network is not None:
        content["model"] = dict(network)
    content = merged(content, own or {})
    values = [f"{key}-{_word(value)}" for key, value in (facts if shown is None else shown).items()]
    name = "/".join([study, base.name.replace("/", "-"), *(["_".join(values)] if values else [])])
    return Cell(dict(facts), checked({**content, "name": name, "description": ""}, f"the study {study} on {base.name}"))


def _word(value: str | int | float | bool) -> str:
    text = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
    return "".join(character if character.isalnum() or character in "+.-" else "-" for character in text)
