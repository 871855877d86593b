"""The command on the page trains the same again."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from agdn.experiments import yaml_text
from agdn.experiments.config import Config
from agdn.experiments.recipes import read_recipe, recipe_names
from agdn.experiments.run_folder import first_difference
from agdn.experiments.seeds import parse_seeds
from agdn.report.gather.reproduce import command, needs_file, seeds_text
from small_runs import small


def config_of(line: str) -> Config:
    words = shlex.split(line)
    assert words[:2] == ["agdn", "train"]
    changes = [words[place + 1] for place, word in enumerate(words) if word == "--set"]
    return read_recipe(words[2], changes)


def same(first: Config, second: Config) -> bool:
    return first_difference(first.model_dump(mode="json"), second.model_dump(mode="json")) is None


@pytest.mark.parametrize("recipe", recipe_names())
def test_a_recipe_as_it_is(recipe: str) -> None:
    assert command(read_recipe(recipe), [0]) == f"agdn train {recipe} --seeds 0"


@pytest.mark.parametrize(
    "changes",
    [
        ["model.hops=5", "training.epochs=60", "threads=1"],
        ["model.weighting={name: HA, query_hop: 1}", "training.optimizer.lr=1e-2"],
        ["model={name: MLP, hidden_channels: 8}"],
        ["data.name=it's here", "task.labels={mask_rate: 0.5}"],
        ["training.patience=null"],
    ],
)
def test_every_change_is_told(changes: list[str]) -> None:
    config = read_recipe("digits/agdn", changes)
    line = command(config, [0, 1])
    assert not needs_file(line)
    assert same(config_of(line), config)
    assert config_of(line).threads == config.threads


def test_what_no_change_can_say_is_a_file(tmp_path: Path) -> None:
    config = small()
    line = command(config, [3])
    assert needs_file(line)
    assert line == "agdn train config.yaml --seeds 3"
    (tmp_path / "config.yaml").write_text(yaml_text.write(config.model_dump(mode="json")))
    assert same(read_recipe(tmp_path / "config.yaml"), config)


def test_where_the_data_lie() -> None:
    config = read_recipe("cora/agdn", ["data.root=/my data"])
    assert command(config, [0]).endswith("--seeds 0 --data '/my data'")


@pytest.mark.parametrize(("seeds", "text"), [([0], "0"), ([2, 0, 1], "0-2"), ([0, 1, 3, 7, 8], "0-1,3,7-8")])
def test_seeds_as_they_are_written(seeds: list[int], text: str) -> None:
    assert seeds_text(seeds) == text
    assert parse_seeds(text) == tuple(sorted(seeds))
