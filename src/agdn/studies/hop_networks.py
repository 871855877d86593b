"""What the studies of hop weights share: recipes of AGDN with a hop weighting of the study's choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agdn.experiments.config import Config
from agdn.experiments.overrides import with_overrides
from agdn.experiments.recipes import read_recipe
from agdn.models.registry import expanded
from agdn.studies.study import Cell, Facts, cell_of


def check_changes(study: str, changes: Sequence[str], own: Mapping[str, Sequence[str]]) -> None:
    """``own``: names that the study gives to options of the model; a change that would not count is refused."""
    model = with_overrides({}, changes).get("model")
    for option, names in own.items():
        given = model.get(option) if isinstance(model, Mapping) else None
        if given is None:
            continue
        name = given.get("name") if isinstance(given, Mapping) else given
        said = f"the study {study} sets model.{option} itself, to {' and '.join(names)}"
        if name is None:
            raise ValueError(f"{said}; say whose option it is: model.{option}={{name: {names[0]}, ...}}")
        if name not in names:
            raise ValueError(f"{said}; {name} would not count")


def weighted_cell(
    study: str, recipe: str, changes: Sequence[str], weighting: str, facts: Facts, more: dict[str, Any] | None = None
) -> Cell:
    """The recipe with another hop weighting; options that were given to it stay, by the user or by the recipe."""
    base = read_recipe(recipe, changes)
    if base.link is not None or base.model["name"] != "AGDN":
        raise ValueError(f"the study {study} is about hop weights of AGDN on nodes; {recipe} is not such a recipe")
    options = next(
        (own for own in (_weighting(base), _weighting(read_recipe(recipe))) if own["name"] == weighting),
        {"name": weighting},
    )
    return cell_of(study, base, facts, {"model": {"weighting": options, **(more or {})}})


def _weighting(config: Config) -> dict[str, Any]:
    own = expanded(config.model).get("weighting", "HA")
    return {"name": own} if isinstance(own, str) else dict(own)
