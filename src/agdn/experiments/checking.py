"""A mapping of a user's words -> Config, or the one sentence that says which key is wrong and what would be right."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from agdn.experiments.config import FORMAT_VERSION, Config
from agdn.experiments.model_options import complete, complete_link
from agdn.experiments.sampling import Nodes
from agdn.models.propagated_first import PropagatedFirst
from agdn.models.registry import MODELS
from agdn.part import unknown_name

USUAL = {
    ("data", "split"): "published",
    ("data", "diffusion"): "PPR",
    ("link", "decoder"): "mlp",
    ("link", "negatives"): "global",
    ("training", "optimizer"): "adam",
    ("training", "schedule"): "none",
}


def checked(content: Any, source: str) -> Config:
    """The configuration that ``content`` describes, with every default written out; ``source`` names it in errors."""
    if not isinstance(content, Mapping):
        raise ValueError(f"{source} holds no keys; a recipe has at least data: and model:")
    version = content.get("format_version", FORMAT_VERSION)
    if version != FORMAT_VERSION:
        raise ValueError(f"{source} has format_version {version!r}; this release reads {FORMAT_VERSION}")
    try:
        config = Config.model_validate_json(json.dumps(_spelt_out(content)), strict=True)
    except ValidationError as error:
        raise ValueError(f"{source}: {_sentence(error)}") from None
    except TypeError as error:
        raise ValueError(f"{source} holds a value that is no text, number, list or mapping: {error}") from None
    if config.data.diffusion is not None and config.task.setting == "inductive":
        raise ValueError(
            f"{source}: data.diffusion links nodes through those that task.setting=inductive hides; use one of them"
        )
    if isinstance(config.sampling, Nodes):
        _check_node_batches(config, source)
    try:
        return config.model_copy(update={"model": complete(config.model), "link": complete_link(config)})
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from None


def _check_node_batches(config: Config, source: str) -> None:
    model = MODELS.get(config.model.get("name", ""))
    if model is None or not issubclass(model, PropagatedFirst):
        able = ", ".join(name for name, kind in MODELS.items() if issubclass(kind, PropagatedFirst))
        raise ValueError(f"{source}: sampling=nodes is for models that propagate before they learn: {able}")
    if config.task.labels is not None or config.link is not None:
        raise ValueError(f"{source}: sampling=nodes knows no labels as input and no links; leave one of them out")


def _spelt_out(content: Mapping[str, Any]) -> dict[str, Any]:
    """Sections that are chosen by a name: the bare name is short for a mapping, and a missing one is the usual one."""
    result = dict(content)
    if isinstance(result.get("sampling"), str):
        result["sampling"] = {"name": result["sampling"]}
    for (section, key), usual in USUAL.items():
        if not isinstance(result.get(section), Mapping) or key not in result[section]:
            continue
        value = result[section][key]
        value = {"name": value} if isinstance(value, str) else value
        result[section] = {**result[section], key: {"name": usual, **value} if isinstance(value, Mapping) else value}
    return result


def _sentence(error: ValidationError) -> str:
    first = min(error.errors(include_url=False), key=lambda entry: entry["type"] != "extra_forbidden")
    location = [str(part) for part in first["loc"]]
    section, path = _walk(location)
    key = ".".join(path)
    if first["type"] == "extra_forbidden" and section is not None:
        above = path[:-1]
        return unknown_name("key", key, [".".join([*above, name]) for name in section.model_fields])
    if first["type"] == "missing":
        return f"the key {key} is missing"
    given = first["input"]
    shown = f", got {given!r}" if not isinstance(given, (dict, list)) else ""
    return f"{key}: {first['msg'][0].lower()}{first['msg'][1:]}{shown}"


def _walk(location: list[str]) -> tuple[type[BaseModel] | None, list[str]]:
    """The section in which an error lies, and the key as a user writes it: without the tags of unions."""
    section: type[BaseModel] | None = Config
    path: list[str] = []
    candidates: list[type[BaseModel]] = []
    for part in location:
        if section is not None and part in section.model_fields:
            path.append(part)
            candidates = _models_in(section.model_fields[part].annotation)
            candidates += [m for extra in section.model_fields[part].metadata for m in _models_in(extra)]
            last, section = section, candidates[0] if len(candidates) == 1 else None
            if not candidates:
                return last, path
        elif tagged := [model for model in candidates if _tag(model) == part]:
            section, candidates = tagged[0], []
        else:
            path.append(part)
            return section, path
    return section, path


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in _models_in(inner)]


def _tag(model: type[BaseModel]) -> str | None:
    field = model.model_fields.get("name")
    choices = get_args(field.annotation) if field is not None else ()
    return str(choices[0]) if choices else None
