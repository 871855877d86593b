"""A Python type as a user would say it."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MinLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo

WORDS = {int: "integer", float: "number", str: "text", bool: "`true`, `false`", type(None): "`null`", Any: "anything"}
PLURALS = {int: "integers", float: "numbers", str: "texts"}


def in_words(kind: Any, limits: tuple[Any, ...] = ()) -> str:
    """Such as ``integer ≥ 0 or `null```; ``limits`` are those of pydantic's fields."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return in_words(inner[0], (*limits, *inner[1:]))
    if origin is Literal:
        return ", ".join(f"`{choice}`" for choice in inner)
    if origin in (Union, types.UnionType):
        return " or ".join(in_words(each, limits if each is not type(None) else ()) for each in inner)
    if origin is tuple and inner[-1] is not Ellipsis:
        return f"list of {len(inner)} {_plural(inner[0])}"
    if origin in (tuple, Sequence):
        return f"list of {_plural(inner[0])}"
    if origin is dict or kind is dict:
        return "mapping"
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return "section"
    return WORDS[kind] + _bounds(limits)


def _plural(kind: Any) -> str:
    limits: tuple[Any, ...] = ()
    if get_origin(kind) is Annotated:
        kind, *rest = get_args(kind)
        limits = tuple(rest)
    if get_origin(kind) is Literal or kind is bool:
        return in_words(kind)
    return PLURALS[kind] + _bounds(limits)


def _bounds(limits: tuple[Any, ...]) -> str:
    said = []
    for limit in limits:
        parts = limit.metadata if isinstance(limit, FieldInfo) else [limit]
        for part in parts:
            match part:
                case Ge(least):
                    said.append(f"≥ {least}")
                case Gt(below):
                    said.append(f"> {below}")
                case Le(most):
                    said.append(f"≤ {most}")
                case Lt(above):
                    said.append(f"< {above}")
                case MinLen(_):
                    pass
    return f" {', '.join(said)}" if said else ""
