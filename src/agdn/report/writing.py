"""Runs in, a file out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agdn.data.atomic import write_bytes
from agdn.report.gather.report import Report, gather
from agdn.report.page import is_report, page


def write_report(folders: Sequence[Path], out: Path, *, nodes: Sequence[str] = ()) -> Report:
    """Write the page of the runs in ``folders`` to ``out``; an older report there is replaced, anything else is not."""
    require_free(out)
    report = gather(folders, nodes=nodes)
    write_bytes(out, page(report).encode())
    return report


def require_free(out: Path) -> None:
    """Before any work is done: a place that can be written, and nothing of the user's in it."""
    if out.is_dir():
        raise ValueError(f"{out} is a folder; give --out a file, such as {out / 'report.html'}")
    if not out.parent.is_dir():
        raise ValueError(f"the folder {out.parent} does not exist; the report goes into one that does")
    if out.exists() and not is_report(out):
        raise ValueError(f"{out} is there already and no report; give another --out")
