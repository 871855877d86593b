"""Recipes by name, by file or by the folder of a stored dataset, with what they extend."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from agdn.data.store import is_stored
from agdn.experiments import yaml_text
from agdn.experiments.checking import checked
from agdn.experiments.config import Config
from agdn.experiments.first_recipe import first_recipe
from agdn.experiments.overrides import merged, with_overrides
from agdn.part import unknown_name

SUFFIXES = (".yaml", ".yml")


def recipe_names() -> list[str]:
    """Every recipe that comes with the library, as ``<dataset>/<model>``."""
    folder = recipe_folder()
    return sorted(path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.yaml"))


def read_recipe(recipe: str | Path, overrides: Sequence[str] = ()) -> Config:
    """The configuration of a recipe, with ``key.path=value`` changes made to it.

    ``recipe`` is a name, a YAML file, or the folder of a stored dataset, which has :func:`first_recipe`.
    """
    content = _content(str(recipe), chain=())
    content.setdefault("name", _name(str(recipe)))
    return checked(with_overrides(content, overrides), str(recipe))


def _content(recipe: str, chain: tuple[Path, ...]) -> dict[str, Any]:
    beside = chain[-1].parent if chain else Path()
    if is_stored(beside / recipe):
        return first_recipe(beside / recipe)
    path = _path(recipe, beside)
    if path in chain:
        raise ValueError(f"{recipe} extends itself: {' -> '.join(str(step) for step in (*chain, path))}")
    content = yaml_text.read(path)
    if not isinstance(content, dict):
        raise ValueError(f"{recipe} holds no keys; a recipe has at least data: and model:")
    below = content.pop("extends", None)
    if below is None:
        return content
    if not isinstance(below, str):
        raise ValueError(f"{recipe}: extends names one recipe or file, got {below!r}")
    return merged(_content(below, (*chain, path)), content)


def _path(recipe: str, beside: Path) -> Path:
    if recipe.endswith(SUFFIXES):
        path = beside / recipe
        if not path.is_file():
            raise ValueError(f"the recipe file {path} does not exist")
        return path.resolve()
    path = recipe_folder() / f"{recipe}.yaml"
    if recipe not in recipe_names():
        raise ValueError(_unknown(recipe))
    return path


def _unknown(recipe: str) -> str:
    """Of hundreds of names, those of the data set that was meant."""
    of_set = [name for name in recipe_names() if name.startswith(f"{recipe.split('/')[0]}/")]
    offer = f"of this data set there are {', '.join(of_set)}" if of_set else "agdn list recipes shows them all"
    return unknown_name("recipe", recipe, recipe_names(), offer) + "; or give a .yaml file or a stored dataset"


def recipe_folder() -> Path:
    return Path(str(resources.files("agdn"))) / "recipes"


def _name(recipe: str) -> str:
    if recipe.endswith(SUFFIXES):
        return Path(recipe).stem
    return Path(recipe).resolve().name if is_stored(recipe) else recipe
