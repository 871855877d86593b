"""What a run learnt about."""

from __future__ import annotations

from typing import Literal

from agdn.experiments.result import Run

Subject = Literal["nodes", "edges"]


def subject(run: Run) -> Subject:
    """What its parts are made of."""
    return "edges" if run.output.get("target") == "link" else "nodes"
