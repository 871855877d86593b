"""The node-pair product of link decoding against indexing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agdn.bench.child import System
from agdn.bench.inputs import write_pairs
from agdn.bench.rows import Section
from agdn.bench.setting import Setting

NODES, CHANNELS, PAIRS = 4_267, 512, 4 * 65_536
INDEXING = "torch indexing"
PHASES = ("forward", "forward + backward")


def pair_product(setting: Setting, folder: Path) -> Iterator[Section]:
    nodes, pairs = max(2, round(NODES * setting.scale)), max(1, round(PAIRS * setting.scale))
    inputs = write_pairs(folder / "pairs", num_nodes=nodes, channels=CHANNELS, num_pairs=pairs)
    spec = {"task": "pairs", "folder": str(inputs), "threads": setting.threads}
    yield Section(
        f"product of {pairs:,} node pairs, {nodes:,} x {CHANNELS} states",
        (
            System("agdn pair_product", "ours", spec, PHASES, reference=INDEXING, same_answers="product"),
            System(INDEXING, "plain", spec, PHASES, reference=INDEXING, same_answers="product"),
        ),
    )


PARTS = {"product": pair_product}
