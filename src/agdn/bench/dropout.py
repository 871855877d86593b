"""Dropout after relu against torch's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agdn.bench.child import System
from agdn.bench.rows import Section
from agdn.bench.setting import Setting

ROWS, CHANNELS = 125_000, 800
TORCH = "torch relu, dropout"
PHASES = ("forward", "forward + backward")


def relu_dropout(setting: Setting, folder: Path) -> Iterator[Section]:
    rows = max(1, round(ROWS * setting.scale))
    size = {"rows": rows, "channels": CHANNELS, "p": 0.5}
    spec = {"task": "dropout", "folder": str(folder), "threads": setting.threads, **size}
    yield Section(
        f"relu and dropout of {rows * CHANNELS:,} floats, {rows:,} x {CHANNELS}",
        (
            System("agdn relu_dropout", "ours", spec, PHASES, reference=TORCH),
            System(TORCH, "plain", spec, PHASES, reference=TORCH),
        ),
    )


PARTS = {"relu": relu_dropout}
