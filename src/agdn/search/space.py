"""A search space as data: which keys of a recipe are searched, and among what.

    model.hops: [2, 4, 8]                                       # one of these, mappings allowed
    training.optimizer.lr: {low: 1e-3, high: 3e-2, log: true}   # a number in between
    model.num_layers: {low: 1, high: 4}                         # a whole one, since both ends are; step: 2 skips

A choice is set as ``--set key=value`` would set it. ``extends: other.yaml`` starts from the space in that file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from agdn.experiments import yaml_text
from agdn.experiments.recipes import SUFFIXES, read_recipe
from agdn.part import unknown_name

NOT_SEARCHED = {
    "name": "it changes no score",
    "description": "it changes no score",
    "published": "it changes no score",
    "format_version": "it changes no score",
    "threads": "it changes no score; set it with --set",
    "device": "it changes no score; set it with --set",
    "data.name": "scores on different nodes do not compare",
    "data.root": "scores on different nodes do not compare",
    "data.seed": "scores on different nodes do not compare",
    "data.split": "scores on different nodes do not compare",
}
RANGE_KEYS = ("low", "high", "log", "step")
WHAT_IS_RIGHT = "give a list of choices, or {low: ..., high: ...} with log: true or a step where wanted"


@dataclass(frozen=True)
class Choices:
    """One of a few values."""

    values: tuple[Any, ...]

    def examples(self) -> tuple[Any, ...]:
        return self.values

    def to_json(self) -> Any:
        return list(self.values)


@dataclass(frozen=True)
class Range:
    """A number from ``low`` to ``high``, both included; a whole one where ``low``, ``high`` and ``step`` are."""

    low: float
    high: float
    log: bool = False
    step: float | None = None

    @property
    def whole(self) -> bool:
        return all(isinstance(number, int) for number in (self.low, self.high, self.step or 0))

    def examples(self) -> tuple[Any, ...]:
        return self.low, self.high

    def to_json(self) -> Any:
        return {"low": self.low, "high": self.high, "log": self.log, "step": self.step}


@dataclass(frozen=True)
class Space:
    """Keys in the order in which they are set; ``source`` names the space in errors."""

    source: str
    keys: Mapping[str, Choices | Range]

    def to_json(self) -> dict[str, Any]:
        return {key: searched.to_json() for key, searched in self.keys.items()}


def family_names() -> list[str]:
    """The families of spaces that come with the library: a space a model in each."""
    return sorted(path.name for path in _folder().iterdir() if path.is_dir())


def find_space(name: str, model: str) -> Space:
    """The space in a YAML file, or the one that a family has for a model."""
    if name.endswith(SUFFIXES):
        return Space(name, _keys(_content(Path(name), ()), name))
    if name not in family_names():
        raise ValueError(unknown_name("space", name, family_names()) + ", or give a .yaml file")
    path = _folder() / name / f"{model.lower()}.yaml"
    if not path.is_file():
        raise ValueError(f"there is no space {name!r} for {model}; give --space FILE.yaml")
    return Space(f"the space {name!r} of {model}", _keys(_content(path, ()), path.name))


def assignments(setting: Mapping[str, Any]) -> list[str]:
    """A setting in the words of ``--set``."""
    return [f"{key}={json.dumps(value)}" for key, value in setting.items()]


def check_space(space: Space, recipe: str, changes: Sequence[str]) -> None:
    """Every key, with every choice or either end of its range, must be one that the recipe can have."""
    first = {key: searched.examples()[0] for key, searched in space.keys.items()}
    for key, searched in space.keys.items():
        for value in searched.examples():
            try:
                read_recipe(recipe, [*changes, *assignments({**first, key: value})])
            except ValueError as error:
                raise ValueError(f"{space.source} does not fit: {error}") from None


def _folder() -> Path:
    return Path(str(resources.files("agdn"))) / "search" / "spaces"


def _content(path: Path, chain: tuple[Path, ...]) -> dict[str, Any]:
    if not path.is_file():
        raise ValueError(f"the space file {path} does not exist")
    if path.resolve() in chain:
        raise ValueError(f"the space file {path} extends itself")
    content = yaml_text.read(path)
    if not isinstance(content, dict):
        raise ValueError(f"{path} holds no keys; a space has lines such as model.hops: [2, 4, 8]")
    below = content.pop("extends", None)
    if below is None:
        return content
    if not isinstance(below, str):
        raise ValueError(f"{path}: extends names one file, got {below!r}")
    return _content(path.parent / below, (*chain, path.resolve())) | content


def _keys(content: Mapping[Any, Any], source: str) -> dict[str, Choices | Range]:
    if not content:
        raise ValueError(f"{source} holds no keys; a space has lines such as model.hops: [2, 4, 8]")
    for key in content:
        if not isinstance(key, str):
            raise ValueError(f"{source}: {key!r} is not a key of a recipe such as model.hops")
        for fixed, reason in NOT_SEARCHED.items():
            if key == fixed or key.startswith(f"{fixed}."):
                raise ValueError(f"{source}: {key} is not to be searched: {reason}")
    return {key: _searched(value, f"{source}: {key}") for key, value in content.items()}


def _searched(value: Any, where: str) -> Choices | Range:
    if isinstance(value, list):
        if not value:
            raise ValueError(f"{where} has no choices; {WHAT_IS_RIGHT}")
        texts = [json.dumps(choice) for choice in value]
        if len(set(texts)) < len(texts):
            raise ValueError(f"{where} has the choice {max(texts, key=texts.count)} twice")
        return Choices(tuple(value))
    if isinstance(value, dict) and "low" in value and "high" in value:
        return _range(value, where)
    raise ValueError(f"{where}: {WHAT_IS_RIGHT}, got {value!r}")


def _range(value: dict[str, Any], where: str) -> Range:
    for key, given in value.items():
        if key not in RANGE_KEYS:
            raise ValueError(f"{where}: {unknown_name('key of a range', str(key), list(RANGE_KEYS))}")
        fits = isinstance(given, bool) if key == "log" else _is_number(given)
        if not fits:
            raise ValueError(f"{where}: {key} must be {'true or false' if key == 'log' else 'a number'}, got {given!r}")
    low, high, log, step = value["low"], value["high"], value.get("log", False), value.get("step")
    if not low < high:
        raise ValueError(f"{where}: low must lie below high, got {low} and {high}")
    if log and low <= 0:
        raise ValueError(f"{where}: a range with log: true starts above 0, got low: {low}")
    if log and step is not None:
        raise ValueError(f"{where}: log: true and a step exclude each other")
    if step is not None and not 0 < step <= high - low:
        raise ValueError(f"{where}: step must lie between 0 and high - low, got {step}")
    return Range(low, high, log, step)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
