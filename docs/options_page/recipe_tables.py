"""The sections of a recipe whose types are pydantic models: what ``data:``, ``task:``, ``training:`` take."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from agdn.experiments.config import Config
from agdn.studies.registry import STUDIES, study_named
from options_page.docstrings import meanings, summary
from options_page.tables import REQUIRED, Option, Table, shown_default
from options_page.types_in_words import in_words


def recipe_tables() -> list[Table]:
    """A table a section, sections within sections behind them."""
    return list(_tables(Config, "", "The top of a recipe", 2))


def study_tables() -> list[Table]:
    """The settings of every study."""
    return [table for name in STUDIES for table in _tables(study_named(name).settings, "", f"`agdn study {name}`", 3)]


def _tables(section: type[BaseModel], path: str, title: str, level: int) -> Iterator[Table]:
    told = meanings(section)
    rows, below = [], []
    for name, field in section.model_fields.items():
        sections = _sections(field)
        if name == "name" and _is_tag(field):
            continue
        key = f"{path}{name}"
        below += [(key, each) for each in sections]
        rows.append(Option(key, _kind(field, sections), _default(field), told.get(name, "")))
    yield Table(title, summary(section), tuple(rows), level)
    for key, each in below:
        name = f"{key}: {_tag(each)}" if _tag(each) else key
        yield from _tables(each, f"{key}.", f"`{name}`", 2 if not path else 3)


def _sections(field: FieldInfo) -> list[type[BaseModel]]:
    return [part for part in _members(field.annotation) if isinstance(part, type) and issubclass(part, BaseModel)]


def _members(kind: Any) -> list[Any]:
    """The types of a union, also of one within another."""
    if get_origin(kind) is Annotated:
        return _members(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        return [member for part in get_args(kind) for member in _members(part)]
    return [kind]


def _kind(field: FieldInfo, sections: list[type[BaseModel]]) -> str:
    if sections and all(map(_tag, sections)):
        absent = ["`null`"] if type(None) in _members(field.annotation) else []
        return ", ".join([*(f"`{_tag(each)}`" for each in sections), *absent])
    return in_words(field.annotation, tuple(field.metadata))


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return shown_default(REQUIRED)
    value = field.get_default(call_default_factory=True)
    if not isinstance(value, BaseModel):
        return shown_default(value)
    return f"`{_tag(type(value))}`" if _tag(type(value)) else "that of its keys"


def _tag(section: type[BaseModel]) -> str:
    """The name that chooses this section among its siblings."""
    name = section.model_fields.get("name")
    return str(get_args(name.annotation)[0]) if name is not None and _is_tag(name) else ""


def _is_tag(field: FieldInfo) -> bool:
    return in_words(field.annotation).startswith("`") and len(get_args(field.annotation)) == 1
