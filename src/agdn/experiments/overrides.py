"""``--set key.path=value``: one change of a recipe, wherever in it the key lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agdn.experiments import yaml_text

# a name chooses its options
NAMED = ("model", "transition", "weighting", "split", "diffusion", "decoder", "optimizer", "schedule")
BARE = (*NAMED, "negatives")  # where a name may stand alone


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """``above`` on top of ``below``, section by section.

    Another model, optimiser and so on keeps none of the old one's options, another data set none of its generator's.
    """
    result = dict(below)
    for key, value in above.items():
        own, other = _spelt(key, result.get(key)), _spelt(key, value)
        if not isinstance(own, Mapping) or not isinstance(other, Mapping):
            result[key] = other
            continue
        renamed = "name" in own and other.get("name", own["name"]) != own["name"]
        dropped = set(own) if key in NAMED else {"options"} if key == "data" else set()
        kept = {name: value for name, value in own.items() if not (renamed and name in dropped)}
        result[key] = merged(kept, other)
    return result


def parsed(assignment: str) -> dict[str, Any]:
    """``model.hops=5`` -> ``{"model": {"hops": 5}}``; the value is YAML."""
    path, equals, text = assignment.partition("=")
    keys = path.strip().split(".")
    if not equals or not all(keys):
        raise ValueError(f"--set {assignment!r} is not of the form key.path=value, such as model.hops=5")
    value = yaml_text.parse(text, f"the value of --set {path.strip()}")
    for key in reversed(keys):
        value = {key: value}
    return value  # type: ignore[no-any-return]


def with_overrides(content: Mapping[str, Any], assignments: Sequence[str]) -> dict[str, Any]:
    """The recipe with every assignment made, in order."""
    result = dict(content)
    for assignment in assignments:
        result = merged(result, parsed(assignment))
    return result


def _spelt(key: str, value: Any) -> Any:
    """A bare name is short for ``{name: ...}``."""
    return {"name": value} if key in BARE and isinstance(value, str) else value
