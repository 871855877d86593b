"""What docstrings say about the names in them: the entries under ``Attributes:`` and ``Args:``."""

from __future__ import annotations

import inspect
import re

HEADS = ("Attributes:", "Args:")
ENTRY = re.compile(r"    (\w+(?:, \w+)*): (.*)")


def summary(thing: object) -> str:
    """The paragraphs in front of the entries, as one."""
    text = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    text = re.split(r"\n(?:Attributes|Args|Shapes):", text)[0]
    return plain(" ".join(text.split()))


def meanings(thing: type | object) -> dict[str, str]:
    """Every name that the docstring of a function, or of a class and those it is derived from, explains."""
    found: dict[str, str] = {}
    for place in reversed(thing.__mro__ if inspect.isclass(thing) else [thing]):
        found |= _entries(inspect.cleandoc(vars(place).get("__doc__") or "") if inspect.isclass(place) else _doc(place))
    return found


def plain(text: str) -> str:
    """Sphinx's marks as Markdown's."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`")


def _doc(thing: object) -> str:
    return inspect.cleandoc(getattr(thing, "__doc__", None) or "")


def _entries(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    names: list[str] = []
    inside = False
    for line in text.split("\n"):
        if line in HEADS:
            inside = True
        elif inside and (entry := ENTRY.fullmatch(line)):
            names = entry[1].split(", ")
            found |= dict.fromkeys(names, plain(entry[2]))
        elif inside and line.startswith(" " * 8):
            found |= dict.fromkeys(names, f"{found[names[0]]} {plain(line.strip())}")
        else:
            inside = False
    return found
