"""One thing that a check found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Finding:
    """What is wrong, where, and what to do about it.

    An ``error`` makes training fail or its score wrong, a ``warning`` is likely a mistake, a ``note`` is good to know.
    A leak is an error that flatters the score: one part of a split can see the answers of another.
    """

    severity: Severity
    what: str
    where: str
    remedy: str
    is_leak: bool = False
