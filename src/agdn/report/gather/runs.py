"""Which runs a report is about: folders -> recipes, each with its seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agdn.experiments.config import Config
from agdn.experiments.result import Result, Run, runs_in
from agdn.experiments.run_folder import RESULT, first_difference, read_config
from agdn.report.gather.keys import differing, written

KEYS_IN_A_LABEL = 3


@dataclass(frozen=True)
class Seeds:
    """The runs of one configuration; ``label`` tells it from every other one in the report."""

    label: str
    config: Config
    result: Result


def found_runs(folders: Sequence[Path]) -> list[Run]:
    """Every run in or below the folders, each once."""
    runs = [run for folder in folders for run in _below(folder)]
    return list({run.folder.resolve(): run for run in runs}.values())


def by_configuration(runs: Sequence[Run]) -> list[Seeds]:
    """Runs of one name that differ in what was computed are kept apart, and labelled by what differs."""
    groups: list[tuple[Config, list[Run]]] = []
    for run in runs:
        config = read_config(run.folder)
        for known, members in groups:
            if members[0].name == run.name and _same(known, config):
                members.append(run)
                break
        else:
            groups.append((config, [run]))
    for _, members in groups:
        _require_each_seed_once(members)
    labels = _labels(groups)
    return [
        Seeds(label, config, Result(label, tuple(sorted(members, key=lambda run: run.seed))))
        for label, (config, members) in zip(labels, groups, strict=True)
    ]


def _below(folder: Path) -> list[Run]:
    recipes = sorted({path.parent.parent for path in folder.glob(f"**/seed-*/{RESULT}")})
    if (folder / RESULT).is_file() or not recipes:
        return runs_in(folder)
    return [run for recipe in recipes for run in runs_in(recipe)]


def _same(first: Config, second: Config) -> bool:
    return first_difference(first.model_dump(mode="json"), second.model_dump(mode="json")) is None


def _require_each_seed_once(runs: Sequence[Run]) -> None:
    seen: dict[int, Run] = {}
    for run in runs:
        if run.seed in seen:
            raise ValueError(
                f"{seen[run.seed].folder} and {run.folder} are both seed {run.seed} of {run.name}; give one of them"
            )
        seen[run.seed] = run


def _labels(groups: Sequence[tuple[Config, Sequence[Run]]]) -> list[str]:
    labels = []
    for config, runs in groups:
        alike = [other for other, members in groups if members[0].name == runs[0].name]
        label = runs[0].name
        if len(alike) > 1:
            own = {key: values[alike.index(config)] for key, values in differing(alike).items()}
            shown = [f"{key}={written(value)}" for key, value in list(own.items())[:KEYS_IN_A_LABEL]]
            label += f" ({', '.join(shown)}{', ...' if len(own) > KEYS_IN_A_LABEL else ''})"
        labels.append(label)
    return [label if labels.count(label) == 1 else f"{label} #{place}" for place, label in enumerate(labels, 1)]
