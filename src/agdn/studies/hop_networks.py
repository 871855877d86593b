"""What the studies of hop weights share: recipes of AGDN with a hop weighting of the study's choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agdn.experiments.overrides import with_overrides
from agdn.experiments.recipes import read_recipe
from agdn.models.registry import expanded
from agdn.studies.study import Cell, Facts, cell_of


def check_changes(study: str, changes: Sequence[str], own: Mapping[str, Sequence[str]]) -> None:
    """``own``: names that the study gives to options of the model; a change to another name would not count."""
    model = with_overrides({}, changes).get("model")
    for option, names in own.items():
        given = model.get(option) if isinstance(model, Mapping) else None
        name = given.get("name") if isinstance(given, Mapping) else given
        if name is not None and name not in names:
            said = f"the study {study} sets model.{option} itself, to {' and '.join(names)}"
            raise ValueError(f"{said}; {name} would not count")


def weighted_cell(
    study: str, recipe: str, changes: Sequence[str], weighting: str, facts: Facts, more: dict[str, Any] | None = None
) -> Cell:
    """The recipe with another hop weighting; its options stay where it is the recipe's own."""
    base = read_recipe(recipe, changes)
    if base.link is not None or base.model["name"] != "AGDN":
        raise ValueError(f"the study {study} is about hop weights of AGDN on nodes; {recipe} is not such a recipe")
    own = expanded(base.model).get("weighting", "HA")
    keeps = (own if isinstance(own, str) else own["name"]) == weighting
    return cell_of(study, base, facts, {"model": {"weighting": own if keeps else weighting, **(more or {})}})
