"""The paper's other systems with a fixed transition, against the same in PyG.

PyG's layers are given the normalised adjacency once, as edges with weights or as a CSR matrix of torch's.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agdn.bench import graphs
from agdn.bench.child import System
from agdn.bench.inputs import write_baselines
from agdn.bench.rows import Section
from agdn.bench.setting import Setting

IN_CHANNELS, CLASSES = 128, 40
PRECOMPUTED = ("SGC, K = 2", "S2GC, K = 16", "SIGN, K = 5")
TRAINED = ("GCN", "APPNP", "DAGNN", "TAGCN", "GPR-GNN")
EDGES, MATRIX = "PyG, edge_index", "PyG, torch CSR"


def precompute(setting: Setting, folder: Path) -> Iterator[Section]:
    """What is done to the features before anything is learnt."""
    yield from _sections(setting, folder / "precompute", "precomputing", "features before training", PRECOMPUTED)


def epoch(setting: Setting, folder: Path) -> Iterator[Section]:
    """Forward, loss, backward and a step of Adam."""
    yield from _sections(setting, folder / "epoch", "baselines", "one training epoch", TRAINED)


def _sections(setting: Setting, folder: Path, task: str, title: str, phases: tuple[str, ...]) -> Iterator[Section]:
    graph = graphs.arxiv(setting.scale)
    inputs = write_baselines(folder, graph, in_channels=IN_CHANNELS, classes=CLASSES, models=TRAINED)
    spec: dict[str, Any] = {
        "task": task,
        "folder": str(inputs),
        "classes": CLASSES,
        "threads": setting.threads,
        "names": phases,
    }
    for peer, form in ((EDGES, "edges"), (MATRIX, "matrix")):
        compared: Any = {"reference": peer, "same_answers": task}
        yield Section(
            f"{title}, against {peer}: {graph}",
            (
                System("agdn", "ours", spec, phases, **compared),
                System(peer, "baselines_on_pyg", {**spec, "form": form}, phases, **compared),
            ),
        )


PARTS = {"precompute": precompute, "epoch": epoch}
