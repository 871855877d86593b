"""Times and sizes for people."""

from __future__ import annotations

from agdn.bench.page import memory_text


def duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"


def memory(size: int | None) -> str:
    return "" if size is None else memory_text(size)
