"""The command that trains a recipe's runs again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from agdn.experiments.config import Config
from agdn.experiments.recipes import read_recipe, recipe_names
from agdn.experiments.run_folder import first_difference
from agdn.report.gather.keys import config_keys, written

ELSEWHERE = ("data.root", "task.distillation.runs")  # given by --data, and found by the training itself
CONFIG_FILE = "config.yaml"


def command(config: Config, seeds: Sequence[int]) -> str:
    """``agdn train`` with every change that was made to a recipe of ours, or else with the whole configuration."""
    words = ["agdn", "train", *_recipe(config), "--seeds", seeds_text(seeds)]
    if config.data.root is not None:
        words += ["--data", config.data.root]
    return shlex.join(words)


def needs_file(command: str) -> bool:
    """Whether the configuration has to be saved first."""
    return shlex.split(command)[2] == CONFIG_FILE


def seeds_text(seeds: Sequence[int]) -> str:
    """(0, 1, 2, 5) -> ``0-2,5``."""
    spans: list[list[int]] = []
    for seed in sorted(seeds):
        if spans and seed == spans[-1][-1] + 1:
            spans[-1][1:] = [seed]
        else:
            spans.append([seed])
    return ",".join("-".join(map(str, span)) for span in spans)


def _recipe(config: Config) -> list[str]:
    if config.name not in recipe_names():
        return [CONFIG_FILE]
    base, own = config_keys(read_recipe(config.name)), config_keys(config)
    said_by_recipe = ("published", "description")
    changes = [
        f"{key}={written(value)}"
        for key, value in own.items()
        if key not in ELSEWHERE and key.partition(".")[0] not in said_by_recipe and base.get(key, ...) != value
    ]
    try:
        again = read_recipe(config.name, changes)
    except ValueError:
        return [CONFIG_FILE]
    if first_difference(again.model_dump(mode="json"), config.model_dump(mode="json")):
        return [CONFIG_FILE]
    return [config.name, *(word for change in changes for word in ("--set", change))]
