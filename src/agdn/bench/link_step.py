"""A training step of the published ogbl-ddi recipe: encoder, decoder, loss, backward, clipping and Adam."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agdn.bench import graphs
from agdn.bench.inputs import write_link_step
from agdn.bench.rows import Section
from agdn.bench.setting import Setting

CHANNELS, POSITIVES, PER_EDGE = 512, 65_536, 3


def step(setting: Setting, folder: Path) -> Iterator[Section]:
    """DGL has the encoder alone; what is around it is plain torch there."""
    graph = graphs.ddi(setting.scale)
    positives = max(1, round(POSITIVES * setting.scale))
    inputs = write_link_step(folder / "ddi", graph, channels=CHANNELS, positives=positives, per_edge=PER_EDGE)
    spec = {
        "task": "link step",
        "folder": str(inputs),
        "nodes": graph.num_nodes,
        "channels": CHANNELS,
        "positives": positives,
    }
    pairs = f"{positives:,} positives with {PER_EDGE} negatives each"
    yield Section(f"ddi preset, one training step on {pairs}: {graph}", setting.systems(spec, ("step",)))


PARTS = {"step": step}
