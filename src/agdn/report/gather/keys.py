"""A configuration as dotted keys, as a user writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agdn.experiments.config import Config

SAYS_NOTHING = ("format_version", "name", "description", "threads")  # about what is computed


def flat(content: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """``{"model": {"hops": 5}}`` -> ``{"model.hops": 5}``; an empty mapping is a value."""
    result: dict[str, Any] = {}
    for key, value in content.items():
        if isinstance(value, Mapping) and value:
            result |= flat(value, f"{above}{key}.")
        else:
            result[f"{above}{key}"] = value
    return result


def config_keys(config: Config) -> dict[str, Any]:
    return flat(config.model_dump(mode="json"))


def differing(configs: Sequence[Config]) -> dict[str, list[Any]]:
    """The keys in which configurations differ, with the value of each; None where one does not have the key."""
    flats = [config_keys(config) for config in configs]
    keys = dict.fromkeys(key for content in flats for key in content)
    values = {key: [content.get(key) for content in flats] for key in keys if key.partition(".")[0] != "published"}
    return {
        key: found
        for key, found in values.items()
        if key not in SAYS_NOTHING and any(value != found[0] for value in found)
    }


def written(value: Any) -> str:
    """A value as it may stand in a recipe or after ``--set key=``."""
    return json.dumps(value, ensure_ascii=False)
