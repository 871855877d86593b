"""One AGDN-HA layer with gat attention, K = 3 and the linear residual."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agdn.bench import graphs
from agdn.bench.child import System
from agdn.bench.inputs import write_layer
from agdn.bench.rows import Remainder, Section
from agdn.bench.setting import RECOMPUTE, STORE, Setting

INFERENCE, TRAINING = PHASES = ("inference", "forward + backward")
HOPS = 3
DENSE, SPARSE = "dense matmuls alone", "plain CSR products alone"
FLOAT_BYTES = 4


def on_arxiv(setting: Setting, folder: Path) -> Iterator[Section]:
    """768 -> 3 x 256 on ogbn-arxiv: ours, DGL, PyG's one hop, and the dense and sparse products alone."""
    graph = graphs.arxiv(setting.scale)
    inputs = write_layer(folder / "layer-arxiv", graph, in_channels=768, channels=256, heads=3)
    spec = {"task": "layer", "folder": str(inputs), "hops": HOPS, "heads": 3, "channels": 256}
    alone = {**spec, "threads": setting.threads}
    systems = (
        *setting.systems(spec, PHASES),
        System("PyG GATConv, one hop", "on_pyg", alone, PHASES, alone=True, reference=setting.opponent),
        System(DENSE, "products", {**alone, "task": "dense"}, PHASES),
        System(SPARSE, "products", {**alone, "task": "csr"}, PHASES),
    )
    remainders = tuple(
        Remainder(f"{name}: all but dense matmuls", phase, name, DENSE, SPARSE)
        for name in (STORE, RECOMPUTE)
        for phase in PHASES
    )
    title = f"layer, 768 -> 3 x 256, K = {HOPS}: {graph}"
    yield Section(title, systems, remainders, hop_bytes=graph.num_nodes * 3 * 256 * FLOAT_BYTES)


def over_depth(setting: Setting, folder: Path) -> Iterator[Section]:
    """Memory and time of K = 2 and K = 8, hops stored or walked again."""
    graph = graphs.arxiv(setting.scale)
    inputs = write_layer(folder / "layer-depth", graph, in_channels=768, channels=256, heads=3)
    spec = {"task": "layer", "folder": str(inputs), "heads": 3, "channels": 256, "threads": setting.threads}
    systems = tuple(
        System(
            f"{name}, K = {hops}",
            "ours",
            {**spec, "hops": hops, "memory": memory},
            PHASES,
            reference=f"{STORE}, K = {hops}",
            same_answers=f"K = {hops}",
        )
        for hops in (2, 8)
        for name, memory in ((STORE, "store"), (RECOMPUTE, "recompute"))
    )
    title = f"layer at two depths, 768 -> 3 x 256: {graph}"
    yield Section(title, systems, hop_bytes=graph.num_nodes * 3 * 256 * FLOAT_BYTES)


def on_ddi(setting: Setting, folder: Path) -> Iterator[Section]:
    """512 -> 512 on the dense ogbl-ddi graph."""
    graph = graphs.ddi(setting.scale)
    inputs = write_layer(folder / "layer-ddi", graph, in_channels=512, channels=512, heads=1)
    spec = {"task": "layer", "folder": str(inputs), "hops": HOPS, "heads": 1, "channels": 512}
    title = f"layer, 512 -> 512, K = {HOPS}: {graph}"
    yield Section(title, setting.systems(spec, PHASES), hop_bytes=graph.num_nodes * 512 * FLOAT_BYTES)


PARTS = {"arxiv": on_arxiv, "depth": over_depth, "ddi": on_ddi}
