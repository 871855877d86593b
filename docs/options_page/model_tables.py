"""What is checked against the signatures of constructors: models, their parts, and generated data sets."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, get_type_hints

from agdn.data.catalogue import EMBEDDED
from agdn.experiments.model_options import FROM_LAYER, PARTS
from agdn.models import DECODERS
from agdn.models.presets import PRESETS
from agdn.models.registry import EVERY_MODEL, OF_LAYERS, option_defaults, option_types
from agdn.nn import NORMS, AGDNConv
from agdn.nn.conv import Part
from options_page.docstrings import meanings, summary
from options_page.tables import REQUIRED, Option, Table, shown_default
from options_page.types_in_words import in_words


def model_tables() -> list[Table]:
    """The ``model:`` section of every model, then the parts that are chosen by name within it."""
    parts = [table for option, registry in PARTS.items() for table in _part_tables(f"model.{option}", registry)]
    decoders = _part_tables("link.decoder", DECODERS)
    return [_model_table(name) for name in sorted(EVERY_MODEL)] + parts + decoders


def generator_tables() -> list[Table]:
    """``data.options`` of the sets that are made, not read."""
    return [_generator_table(name) for name in EMBEDDED]


def _model_table(name: str) -> Table:
    model = EVERY_MODEL[name]
    told = {**(meanings(AGDNConv) if name in OF_LAYERS else {}), **meanings(model)}
    types, defaults = option_types(name), option_defaults(name)
    rows = [
        Option(f"model.{key}", _values(key, kind), _default(defaults, key), told.get(key, ""))
        for key, kind in types.items()
    ]
    if name == "AGDN":
        meaning = "A network of the paper's experiments, as a set of options; what stands beside it wins."
        rows.insert(0, Option("model.preset", _listed(PRESETS), "`null`", meaning))
    return Table(f"`model.name: {name}`", summary(model), tuple(rows), 3)


def _values(option: str, kind: Any) -> str:
    """The names of a table where these are what the option takes, else its type."""
    if option == "norm":
        return _listed(NORMS)
    return _listed(PARTS[option]) if kind == Part else in_words(kind)


def _listed(names: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _part_tables(key: str, registry: Mapping[str, Callable[..., Any]]) -> list[Table]:
    """One table for all names that are built by the same constructor."""
    names: dict[Callable[..., Any], list[str]] = {}
    for name, constructor in registry.items():
        names.setdefault(constructor.func if isinstance(constructor, partial) else constructor, []).append(name)
    return [
        Table(f"`{key}.name: {', '.join(of)}`", summary(built), tuple(_options(key, built, FROM_LAYER)), 3)
        for built, of in names.items()
    ]


def _generator_table(name: str) -> Table:
    function = name.replace("-", "_")
    generate = getattr(importlib.import_module(f"agdn.data.embedded.{function}"), function)
    return Table(
        f"`data.name: {name}`", summary(generate), tuple(_options("data.options", generate, ("seed", "return"))), 3
    )


def _options(path: str, built: Callable[..., Any], without: tuple[str, ...]) -> list[Option]:
    types = get_type_hints(built.__init__ if inspect.isclass(built) else built)
    parameters = inspect.signature(built).parameters
    told = meanings(built)
    return [
        Option(
            f"{path}.{name}",
            in_words(types[name]),
            shown_default(REQUIRED if parameter.default is parameter.empty else parameter.default),
            told.get(name, ""),
        )
        for name, parameter in parameters.items()
        if name not in without
    ]


def _default(defaults: Mapping[str, Any], key: str) -> str:
    return shown_default(defaults.get(key, REQUIRED))
