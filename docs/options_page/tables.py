"""Options in tables, and how they are written in Markdown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

REQUIRED = object()


class Option(NamedTuple):
    name: str
    kind: str
    default: str
    meaning: str


@dataclass(frozen=True)
class Table:
    """Options under one heading; ``text`` stands between the heading and them."""

    title: str
    text: str
    options: tuple[Option, ...]
    level: int = 2

    def markdown(self) -> str:
        parts = [f"{'#' * self.level} {self.title}", self.text]
        if self.options:
            rows = [("option", "value", "default", "meaning"), *((f"`{o.name}`", *o[1:]) for o in self.options)]
            lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
            parts.append("\n".join([lines[0], "|---|---|---|---|", *lines[1:]]))
        return "\n\n".join(part for part in parts if part)


def shown_default(value: Any) -> str:
    """As a recipe would spell it."""
    if value is REQUIRED:
        return "required"
    if isinstance(value, str):
        return f"`{value}`" if value else "empty"
    if isinstance(value, (tuple, list, dict)) and not value:
        return "none"
    return f"`{json.dumps(value)}`"
