"""HTML and SVG from plain values: text is escaped, and only what ``tag`` made is taken as it is."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from importlib import resources
from typing import Any, TypeAlias

from agdn.report.rounding import coordinate


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Child: TypeAlias = "str | Iterable[Child] | None"
Attribute = str | float | bool | None


def tag(name: str, *children: Child, **attributes: Attribute) -> Markup:
    """An element; ``class_`` and ``aria_label`` become ``class`` and ``aria-label``, None and False are left out."""
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{_attribute(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Markup(f"<{name}{written}>{joined(*children)}</{name}>")


def joined(*children: Child) -> Markup:
    return Markup("".join(_text(child) for child in children))


def embedded_json(content: Any) -> Markup:
    """JSON that may stand inside a script element, whatever text it holds."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _text(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    return html.escape(child) if isinstance(child, str) else joined(*child)


def _attribute(value: str | float) -> str:
    return html.escape(value) if isinstance(value, str) else coordinate(value)


def report_file(name: str) -> str:
    """A file that lies beside this one."""
    return (resources.files("agdn.report") / name).read_text(encoding="utf-8")
