"""The whole arxiv preset: one training epoch, without evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agdn.bench import graphs
from agdn.bench.inputs import write_model
from agdn.bench.rows import Section
from agdn.bench.setting import Setting

IN_CHANNELS, CHANNELS, CLASSES = 128, 256, 40


def epoch(setting: Setting, folder: Path) -> Iterator[Section]:
    """Forward, loss, backward and a step of RMSprop."""
    graph = graphs.arxiv(setting.scale)
    inputs = write_model(folder / "model", graph, in_channels=IN_CHANNELS, channels=CHANNELS, classes=CLASSES)
    spec = {"task": "model", "folder": str(inputs), "channels": CHANNELS, "classes": CLASSES}
    yield Section(f"arxiv preset, one training epoch: {graph}", setting.systems(spec, ("epoch",)))


PARTS = {"epoch": epoch}
