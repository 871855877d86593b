"""Dropout after relu against torch's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agdn.bench.child import System
from agdn.bench.rows import Section
from agdn.bench.setting import Setting

FLOATS = 100_000_000
TORCH = "torch relu, dropout"
PHASES = ("forward", "forward + backward")


def relu_dropout(setting: Setting, folder: Path) -> Iterator[Section]:
    floats = max(1, round(FLOATS * setting.scale))
    spec = {"task": "dropout", "folder": str(folder), "floats": floats, "p": 0.5, "threads": setting.threads}
    yield Section(
        f"relu and dropout of {floats:,} floats",
        (
            System("agdn relu_dropout", "ours", spec, PHASES, reference=TORCH),
            System(TORCH, "plain", spec, PHASES, reference=TORCH),
        ),
    )


PARTS = {"relu": relu_dropout}
