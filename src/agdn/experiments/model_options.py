"""The ``model:`` section and the decoder of links: names and values checked against the constructors' own types."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError

from agdn.experiments.config import Config, Task
from agdn.experiments.link_options import Link
from agdn.models import DECODERS, PAIR_MODELS
from agdn.models.registry import EVERY_MODEL, expanded, option_defaults, option_types
from agdn.nn import NORMS, TRANSITIONS, WEIGHTINGS
from agdn.nn.conv import Part
from agdn.part import parameter_names, unknown_name
from agdn.tasks.link_losses import LINK_LOSSES

PARTS: dict[str, Mapping[str, Callable[..., Any]]] = {"transition": TRANSITIONS, "weighting": WEIGHTINGS}
FROM_LAYER = ("in_channels", "heads", "channels", "hops", "first_hop", "edge_dim", "kind")


def complete(section: Mapping[str, Any]) -> dict[str, Any]:
    """The section with its preset and every default written out; a word that does not fit is one sentence."""
    name = section.get("name")
    if name not in EVERY_MODEL:
        raise ValueError(unknown_name("model.name", str(name or ""), sorted(EVERY_MODEL)))
    types, defaults = option_types(name), option_defaults(name)
    below = {**defaults, **expanded({"name": name, "preset": section.get("preset")})}
    chosen = {
        option: _filled(option, value, below.get(option)) if types.get(option) == Part else _bare(value)
        for option, value in expanded(section).items()
    }
    for option, value in chosen.items():
        if option == "name":
            continue
        if option not in types:
            raise ValueError(unknown_name(f"key of {name}", f"model.{option}", [f"model.{key}" for key in types]))
        _check(f"model.{option}", option, value, types[option])
    if "hidden_channels" in types and "hidden_channels" not in {**defaults, **chosen}:
        raise ValueError(f"model.hidden_channels is missing: {name} needs the width of its hidden layers")
    return {"name": name, **defaults, **{key: chosen[key] for key in chosen if key != "name"}}


def complete_link(config: Config) -> Link | None:
    """The ``link:`` section with every default of its decoder written out, checked beside the other sections."""
    link = config.link
    if link is None:
        if config.model.get("name") in PAIR_MODELS:
            raise ValueError(f"{config.model['name']} scores pairs of nodes; say what is asked about them (link: {{}})")
        return None
    if config.task != Task():
        raise ValueError("task: is for nodes; with link: leave its keys out")
    if config.model.get("name") == "SEAL" and link.negatives.name in ("global", "per_source"):
        raise ValueError("a node with itself has no subgraph for SEAL; draw negatives that are strict (link.negatives)")
    if link.loss not in LINK_LOSSES:
        raise ValueError(unknown_name("link.loss", link.loss, list(LINK_LOSSES)))
    _check_part("link.decoder", link.decoder, DECODERS)
    built = DECODERS[link.decoder["name"]]
    signature = inspect.signature(built).parameters
    defaults = {name: signature[name].default for name in parameter_names(built) if name not in FROM_LAYER}
    return link.model_copy(update={"decoder": {**defaults, **link.decoder}})


def _filled(option: str, value: Any, below: Any) -> Any:
    """An option of a transition or weighting that is not named is one of the usual one."""
    if not isinstance(value, dict) or "name" in value:
        return value
    return {**({"name": below} if isinstance(below, str) else below), **value}


def _bare(value: Any) -> Any:
    """A name that stands for itself, which merging recipes has spelt out as ``{name: ...}``."""
    return value["name"] if isinstance(value, dict) and value.keys() == {"name"} else value


def _check(key: str, option: str, value: Any, expected: Any) -> None:
    if expected == Part:
        _check_part(key, value, PARTS[option])
    elif option == "norm":
        if value not in NORMS:
            raise ValueError(unknown_name(key, str(value), sorted(NORMS)))
    else:
        _check_type(key, value, expected)
    if option.endswith("dropout") and not 0 <= value < 1:
        raise ValueError(f"{key} must lie in [0, 1), got {value}")


def _check_part(key: str, value: Any, registry: Mapping[str, Callable[..., Any]]) -> None:
    options = {"name": value} if isinstance(value, str) else value
    if not isinstance(options, dict) or not isinstance(options.get("name"), str):
        raise ValueError(f"{key} is a name or a mapping with a name, one of {', '.join(registry)}, got {value!r}")
    if options["name"] not in registry:
        raise ValueError(unknown_name(key, options["name"], list(registry)))
    constructor = registry[options["name"]]
    built = constructor.func if isinstance(constructor, partial) else constructor
    types = get_type_hints(built.__init__ if inspect.isclass(built) else built)
    known = [name for name in parameter_names(built) if name not in FROM_LAYER]
    for option, setting in options.items():
        if option not in ("name", *known):
            raise ValueError(unknown_name("key", f"{key}.{option}", [f"{key}.{name}" for name in known]))
        if option != "name":
            _check_type(f"{key}.{option}", setting, types[option])


def _check_type(key: str, value: Any, expected: Any) -> None:
    try:
        TypeAdapter(expected, config=ConfigDict(arbitrary_types_allowed=True)).validate_python(value, strict=True)
    except ValidationError as error:
        choices = [choice for part in (expected, *get_args(expected)) for choice in _literals(part)]
        wanted = f"choose from {', '.join(map(str, choices))}" if choices else error.errors(include_url=False)[0]["msg"]
        raise ValueError(f"{key}: {wanted}, got {value!r}") from None


def _literals(expected: Any) -> tuple[Any, ...]:
    return get_args(expected) if get_origin(expected) is Literal else ()
