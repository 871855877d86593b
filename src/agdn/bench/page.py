"""Rows as a table in the terminal, as JSON for scripts, and as a dated Markdown page."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from agdn.bench.rounds import Effort
from agdn.bench.rows import Row
from agdn.bench.setting import Setting

if TYPE_CHECKING:
    from rich.table import Table

HEADINGS = ("system", "phase", "seconds", "peak memory", "buffers", "times faster", "than", "difference", "per second")


def tables(rows: Sequence[Row]) -> Iterator[Table]:
    """A rich table a section."""
    from rich import box
    from rich.table import Table

    for title, section in _sections(rows):
        table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
        width = _width(section)
        for heading in HEADINGS[:width]:
            table.add_column(heading, justify="left" if heading in ("system", "phase", "than") else "right")
        for row in section:
            table.add_row(*cells(row)[:width])
        yield table


def cells(row: Row) -> tuple[str, ...]:
    """What a table shows of a row, under HEADINGS."""
    return (
        row.system,
        row.phase,
        row.status if row.seconds is None else f"{row.seconds:.4g}",
        "" if row.peak_bytes is None else memory_text(row.peak_bytes),
        "" if row.buffers is None else f"{row.buffers:.1f}",
        "" if row.ratio is None else f"{row.ratio:.2f}",
        "" if row.ratio is None else str(row.reference),
        "" if row.difference is None else f"{row.difference:.0e}",
        "" if row.rate is None else f"{row.rate:,.0f}",
    )


def as_json(rows: Sequence[Row]) -> str:
    """A list of the rows."""
    return json.dumps([row.as_dict() for row in rows], indent=1) + "\n"


def as_markdown(name: str, rows: Sequence[Row], facts: Mapping[str, str], setting: Setting, effort: Effort) -> str:
    """A page for docs/benchmarks."""
    machine = "; ".join(f"{key} {value}" for key, value in facts.items() if key != "date")
    lines = [
        f"# agdn bench {name}, {facts['date']}",
        "",
        f"{machine}. {setting.threads} threads, float32, best of {effort.repeats}.",
        "",
    ]
    for title, section in _sections(rows):
        headings = HEADINGS[: _width(section)]
        lines += [f"## {title}", "", _line(headings), _line("---" for _ in headings)]
        lines += [_line(cells(row)[: len(headings)]) for row in section]
        lines.append("")
    lines.append("[How to read the columns](README.md#how-to-read-them)")
    return "\n".join(lines) + "\n"


def write(file: Path, text: str) -> None:
    """Write a file whole or not at all."""
    try:
        with tempfile.NamedTemporaryFile("w", dir=file.parent, prefix=f".{file.name}.", delete=False) as draft:
            draft.write(text)
            draft.flush()
            os.fsync(draft.fileno())
        os.chmod(draft.name, 0o644)
        os.replace(draft.name, file)
    except OSError as error:
        raise ValueError(f"cannot write {file}: {error.strerror}") from None


def _sections(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    for title, section in groupby(rows, key=lambda row: row.section):
        yield title, list(section)


def _width(section: Sequence[Row]) -> int:
    """Columns to show: the last one, what is done per second, only where something is counted."""
    return len(HEADINGS) - all(row.rate is None for row in section)


def _line(values: Iterator[str] | Sequence[str]) -> str:
    return "| " + " | ".join(values) + " |"


def memory_text(size: int) -> str:
    """Bytes for people."""
    return f"{size / 1e9:.2f} GB" if size >= 1e8 else f"{size / 1e6:.1f} MB"
