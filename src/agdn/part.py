"""By name: a registry entry and its options become an object, checked against the constructor's own signature."""

from __future__ import annotations

import difflib
import inspect
import itertools
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar, cast

T = TypeVar("T")


def build(kind: str, registry: Mapping[str, Callable[..., T]], spec: Any, **context: Any) -> T:
    """Make the part that ``spec`` describes.

    Args:
        kind: What the part is called in an error message, such as "weighting".
        registry: Literal table from names to constructors.
        spec: A name, a mapping such as ``{"name": "HA", "query_hop": 1}``, a constructor of the user's own, or an
            object that is already built and is returned as it is.
        context: What the surrounding module knows (such as ``heads``); a constructor receives those that it names.
    """
    if isinstance(spec, str):
        constructor, options = _look_up(kind, registry, spec), {}
    elif isinstance(spec, Mapping):
        options = {str(key): value for key, value in spec.items()}
        if not isinstance(options.get("name"), str):
            raise ValueError(f'a {kind} given as a mapping needs a "name", one of {", ".join(sorted(registry))}')
        constructor = _look_up(kind, registry, options.pop("name"))
    elif inspect.isclass(spec) or inspect.isfunction(spec) or isinstance(spec, partial):
        constructor, options = cast(Callable[..., T], spec), {}
    else:
        return spec  # type: ignore[no-any-return]
    names = parameter_names(constructor)
    unknown = [option for option in options if option not in names]
    if unknown:
        free = [name for name in names if name not in context]
        raise ValueError(unknown_name(f"option of {_name(constructor)}", unknown[0], free))
    return constructor(**{name: value for name, value in context.items() if name in names}, **options)


def parameter_names(constructor: Callable[..., object]) -> list[str]:
    """The keyword parameters that a constructor takes."""
    return [
        name
        for name, parameter in inspect.signature(constructor).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]


def unknown_name(kind: str, name: str, choices: list[str], offer: str | None = None) -> str:
    """The sentence for a misspelt name: what was meant, and what there is unless ``offer`` says it shorter."""
    asked, folded = name.lower(), {choice.lower(): choice for choice in choices}

    # Of several that are equally close, the one that begins alike: first letters are seldom wrong.
    def likeness(choice: str) -> tuple[float, int]:
        alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(choice, asked, strict=False))
        return difflib.SequenceMatcher(None, choice, asked).ratio(), sum(1 for _ in alike)

    close = max(difflib.get_close_matches(asked, folded), key=likeness, default=None)
    hint = f"did you mean {folded[close]!r}? " if close else ""
    offer = offer or f"choose from {', '.join(choices) if choices else '(nothing)'}"
    return f"unknown {kind} {name!r}: {hint}{offer}"


def _look_up(kind: str, registry: Mapping[str, Callable[..., T]], name: str) -> Callable[..., T]:
    if name not in registry:
        raise ValueError(unknown_name(kind, name, sorted(registry)))
    return registry[name]


def _name(constructor: Callable[..., object]) -> str:
    named = constructor.func if isinstance(constructor, partial) else constructor
    return getattr(named, "__name__", repr(named))
