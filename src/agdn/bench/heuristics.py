"""Scores of node pairs from shared neighbours against SciPy's products of sparse rows.

Ours are timed from the pairs as they come: what it takes to group them is part of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agdn.bench import graphs
from agdn.bench.child import System
from agdn.bench.graphs import BenchGraph
from agdn.bench.inputs import write_graph
from agdn.bench.rows import Section
from agdn.bench.setting import Setting
from agdn.data.dataset import EdgeSplit
from agdn.data.names import load_dataset

DDI = "ogbl-ddi"
POSITIVES, NEGATIVES = 266_978, 197_481  # of validation and test together
SCIPY = "SciPy row products"
PHASES = ("common neighbours", "Adamic-Adar", "resource allocation")


def shared_neighbours(setting: Setting, folder: Path) -> Iterator[Section]:
    graph = graphs.ddi(setting.scale)
    pairs = published_pairs() if graph.name == DDI else generated_pairs(graph, setting.scale)
    inputs = write_graph(folder / "ddi", graph)
    np.save(inputs / "pairs.npy", pairs, allow_pickle=False)
    spec = {"task": "pair scores", "folder": str(inputs), "nodes": graph.num_nodes, "threads": setting.threads}
    compared: Any = {"reference": SCIPY, "units": pairs.shape[1], "same_answers": "scores"}
    yield Section(
        f"scores of {pairs.shape[1]:,} node pairs, pairs per second: {graph}",
        (System("agdn", "ours", spec, PHASES, **compared), System(SCIPY, "on_scipy", spec, PHASES, **compared)),
    )


def published_pairs() -> np.ndarray[Any, Any]:
    """All that are scored for validation and test, positive and negative."""
    split = load_dataset(DDI).split
    assert isinstance(split, EdgeSplit)
    return torch.cat([split.valid, split.valid_negative, split.test, split.test_negative], dim=1).numpy()


def generated_pairs(graph: BenchGraph, scale: float) -> np.ndarray[Any, Any]:
    """Ends of edges, so that busy nodes are in many pairs, and pairs of any nodes."""
    generator = np.random.default_rng(0)
    positives, negatives = max(1, round(POSITIVES * scale)), max(1, round(NEGATIVES * scale))
    linked = graph.edge_index[:, generator.integers(graph.edge_index.shape[1], size=positives)]
    return np.concatenate([linked, generator.integers(graph.num_nodes, size=(2, negatives))], axis=1)


PARTS = {"shared-neighbours": shared_neighbours}
