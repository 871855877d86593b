"""Tables and figures as files: a Markdown page, an SVG a figure, a CSV a table, and everything as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agdn.data.atomic import write_bytes
from agdn.experiments.tables import as_markdown


@dataclass(frozen=True)
class Table:
    """``key`` is part of its file's name; cells are as people read them."""

    key: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def __post_init__(self) -> None:
        assert len(set(self.header)) == len(self.header), f"columns of one name: {self.header}"


@dataclass(frozen=True)
class Figure:
    """``svg`` is a whole file: see :func:`agdn.report.charts.drawing.drawing`; ``said`` is what there is to see."""

    key: str
    title: str
    svg: str
    said: str = ""


@dataclass(frozen=True)
class Page:
    """What a study found: text, then figures and tables in the order given.

    ``data`` are tables too long for the page, which names them.
    """

    title: str
    text: Sequence[str]
    parts: Sequence[Table | Figure]
    data: Sequence[Table] = ()


def write_page(
    folder: Path, name: str, page: Page, rows: Sequence[Mapping[str, Any]], about: Mapping[str, Any]
) -> Path:
    """Write ``<name>.md`` with its figures and tables beside it; ``rows`` are the outcomes, flat. Returns the page."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in (*page.parts, *page.data):
        if isinstance(part, Figure):
            write_bytes(folder / f"{name}-{part.key}.svg", part.svg.encode())
        else:
            write_bytes(folder / f"{name}-{part.key}.csv", as_csv(part.header, part.rows).encode())
    columns = list(dict.fromkeys(key for row in rows for key in row))
    values = [[row.get(column) for column in columns] for row in rows]
    write_bytes(folder / f"{name}.csv", as_csv(columns, values).encode())
    tables = {
        part.key: [dict(zip(part.header, row, strict=True)) for row in part.rows]
        for part in page.parts
        if isinstance(part, Table)
    }
    content = {**about, "tables": tables, "rows": list(rows)}
    write_bytes(folder / f"{name}.json", (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())
    path = folder / f"{name}.md"
    write_bytes(path, as_text(name, page).encode())
    return path


def as_text(name: str, page: Page) -> str:
    """The Markdown page."""
    blocks = [f"# {page.title}", *page.text]
    for part in page.parts:
        blocks.append(f"## {part.title}")
        if isinstance(part, Figure):
            blocks.append(f"![{_plain(part.title)}]({name}-{part.key}.svg)")
            blocks.append(part.said)
        else:
            blocks.append(as_markdown(part.header, [[_cell(cell) for cell in row] for row in part.rows]))
            blocks.append(part.note)
    if page.data:
        blocks.append("## More")
        blocks.append("\n".join(f"* [{_plain(part.title)}]({name}-{part.key}.csv)" for part in page.data))
    return "\n\n".join(block for block in blocks if block) + "\n"


def as_csv(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def _plain(text: str) -> str:
    return text.replace("[", "(").replace("]", ")")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
