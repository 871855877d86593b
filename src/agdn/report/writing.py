"""Runs in, a file out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agdn.data.atomic import write_bytes
from agdn.report.document import require_free
from agdn.report.gather.report import Report, gather
from agdn.report.page import page


def write_report(folders: Sequence[Path], out: Path, *, nodes: Sequence[str] = ()) -> Report:
    """Write the page of the runs in ``folders`` to ``out``; an older report there is replaced, anything else is not."""
    require_free(out, "agdn report", "report")
    report = gather(folders, nodes=nodes)
    write_bytes(out, page(report).encode())
    return report
