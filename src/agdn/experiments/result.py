"""What runs achieved: one record a seed, read from its ``result.json``, and the seeds of a recipe together."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from agdn.experiments.config import Published
from agdn.experiments.run_folder import RESULT
from agdn.experiments.section import Section
from agdn.tasks.link_metrics import HARD_METRICS, LINK_METRICS

SHARES = ("accuracy", "macro_f1", *LINK_METRICS, *HARD_METRICS)
Part = Literal["train", "valid", "test"]
REPORTED: tuple[Part, ...] = ("valid", "test")


class Run(Section):
    """One seed of one recipe, trained to its end.

    Attributes:
        folder: Where it lies; not part of the file.
        scores: By part (train, valid, test), then by metric, at the best epoch.
        unfinished_scores: The same before outputs were corrected and smoothed; None where they were not.
        epochs: How many were run; ``best_epoch`` is the one that was kept.
        peak_memory: Bytes that the process held at most, data included; on a GPU those that torch allocated.
        dataset: Its name and sizes, those of the ``parts`` of its split, and the ``signals`` that models were given.
        output: How the model's outputs are read: see :class:`agdn.tasks.output.NodeOutput`.
        ranks: Processes that trained together; ``threads`` and ``peak_memory`` are those of one of them.
        sent: Bytes of halos that one of them gave to the others, where they had the graph in parts; None elsewhere.
        parts: Sizes of these: own ``nodes``, ``edges`` into them, rows of ``halo``, and rows ``given`` to others.
    """

    folder: Path = Field(exclude=True)
    format: Literal["agdn-result"] = "agdn-result"
    format_version: Literal[1] = 1
    name: str
    seed: int
    metric: str
    higher_is_better: bool
    scores: dict[str, dict[str, float]]
    unfinished_scores: dict[str, dict[str, float]] | None = None
    best_epoch: int
    epochs: int
    stopped_early: bool
    seconds: float
    peak_memory: int | None = None
    parameters: int
    dataset: dict[str, Any]
    output: dict[str, Any]
    notes: tuple[str, ...] = ()
    published: Published | None = None
    versions: dict[str, str]
    threads: int
    ranks: int = 1
    sent: int | None = None
    parts: tuple[dict[str, int], ...] = ()

    def score(self, part: Part = "test") -> float:
        """The official score on a part."""
        return self.scores[part][self.metric]


def read_run(folder: Path | str) -> Run:
    """The finished run in a folder."""
    path = Path(folder) / RESULT
    if not path.is_file():
        if not Path(folder).is_dir():
            raise ValueError(f"there is no run folder {folder}")
        raise ValueError(f"{folder} holds no finished run: it has no {RESULT}")
    try:
        content = json.loads(path.read_bytes())
        if content.get("format_version") != 1:
            raise ValueError(f"{path} has format_version {content.get('format_version')!r}; this release reads 1")
        return Run.model_validate({**content, "folder": Path(folder)})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ValueError(f"{path} is damaged: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except (AttributeError, RecursionError, json.JSONDecodeError, UnicodeDecodeError):
        raise ValueError(f"{path} is damaged: it is not the JSON of a result") from None


def runs_in(folder: Path | str) -> list[Run]:
    """The run in a folder, or the runs of all seeds below it, in the order of their seeds."""
    folder = Path(folder)
    if (folder / RESULT).is_file() or not folder.is_dir():
        return [read_run(folder)]
    found = sorted(path.parent for path in folder.glob(f"seed-*/{RESULT}"))
    if not found:
        raise ValueError(f"{folder} holds no finished run: neither {RESULT} nor seed-*/{RESULT} is there")
    return sorted((read_run(path) for path in found), key=lambda run: run.seed)


@dataclass(frozen=True)
class Result:
    """All seeds of one recipe."""

    name: str
    runs: tuple[Run, ...]

    @property
    def metric(self) -> str:
        return self.runs[0].metric

    @property
    def dataset(self) -> str:
        return str(self.runs[0].dataset["name"])

    @property
    def published(self) -> Published | None:
        return self.runs[0].published

    def scores(self, part: Part = "test") -> list[float]:
        return [run.score(part) for run in self.runs]

    def mean(self, part: Part = "test") -> float:
        return statistics.fmean(self.scores(part))

    def std(self, part: Part = "test") -> float | None:
        """The unbiased standard deviation over the seeds; None of a single one."""
        return statistics.stdev(self.scores(part)) if len(self.runs) > 1 else None

    def table(self) -> str:
        """The result as text for people: one line."""
        from agdn.experiments.tables import as_text, results_table

        return as_text(*results_table([self]))

    def to_json(self) -> dict[str, Any]:
        """The result as plain values."""
        parts: dict[str, Any] = {part: {"mean": self.mean(part), "std": self.std(part)} for part in REPORTED}
        return {
            "name": self.name,
            "metric": self.metric,
            **parts,
            "published": None if self.published is None else self.published.model_dump(),
            "runs": [{"folder": str(run.folder), **run.model_dump(mode="json")} for run in self.runs],
        }


def paired_difference(first: Result, second: Result, part: Part = "test") -> tuple[float, float | None, int] | None:
    """Mean of (first - second) on a part over the seeds that both have, its standard error, and how many.

    None where they do not compare: no common seed, or another metric or data set.
    """
    mine, other = ({run.seed: run.score(part) for run in result.runs} for result in (first, second))
    differences = [mine[seed] - other[seed] for seed in mine if seed in other]
    if not differences or first.metric != second.metric or first.dataset != second.dataset:
        return None
    error = statistics.stdev(differences) / len(differences) ** 0.5 if len(differences) > 1 else None
    return statistics.fmean(differences), error, len(differences)


def shown(value: float, spread: float | None, metric: str) -> str:
    """``95.12 ± 0.40`` in percent for shares, as it is otherwise."""
    scale, digits = (100, 2) if metric in SHARES else (1, 4)
    text = f"{value * scale:.{digits}f}"
    return text if spread is None else f"{text} ± {spread * scale:.{digits}f}"


def group(runs: Sequence[Run]) -> list[Result]:
    """Runs by the recipe that they are of, in the order in which recipes come."""
    names = list(dict.fromkeys(run.name for run in runs))
    return [Result(name, tuple(run for run in runs if run.name == name)) for name in names]
