"""The subgraphs around node pairs (SEAL) against a call of PyG's ``k_hop_subgraph`` a pair.

Ours come with their labels and as one graph; one peer cuts and labels as well, the other one only cuts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from agdn.bench import graphs
from agdn.bench.child import System
from agdn.bench.graphs import BenchGraph
from agdn.bench.inputs import write_graph
from agdn.bench.rows import Section
from agdn.bench.setting import Setting

PYG, CUT_ALONE = "PyG k_hop_subgraph and labels", "PyG k_hop_subgraph alone"
PHASE = ("subgraphs",)
AIRPORTS, ARXIV = 2_000, 200  # pairs


def airports(setting: Setting, folder: Path) -> Iterator[Section]:
    for hops in (1, 2):
        yield _section(setting, folder, graphs.airports(setting.scale), AIRPORTS, hops)


def arxiv(setting: Setting, folder: Path) -> Iterator[Section]:
    yield _section(setting, folder, graphs.arxiv(setting.scale), ARXIV, hops=1)


def _section(setting: Setting, folder: Path, graph: BenchGraph, pairs: int, hops: int) -> Section:
    graph = _simple(graph)
    inputs = write_graph(folder / f"hops-{hops}", graph)
    np.save(inputs / "pairs.npy", _pairs(graph, pairs), allow_pickle=False)
    spec = {
        "task": "enclosing",
        "folder": str(inputs),
        "nodes": graph.num_nodes,
        "hops": hops,
        "threads": setting.threads,
    }
    compared: Any = {"reference": PYG, "units": pairs, "same_answers": "sizes"}
    return Section(
        f"{hops}-hop surroundings of {pairs:,} node pairs, pairs per second: {graph}",
        (
            System("agdn", "ours", spec, PHASE, **compared),
            System(PYG, "on_pyg", {**spec, "labels": True}, PHASE, **compared),
            System(CUT_ALONE, "on_pyg", {**spec, "labels": False}, PHASE, **compared),
        ),
    )


def _simple(graph: BenchGraph) -> BenchGraph:
    """Every edge once, and no self-loops."""
    source, target = graph.edge_index
    keys = np.unique((source * graph.num_nodes + target)[source != target])
    return replace(graph, edge_index=np.stack(np.divmod(keys, graph.num_nodes)))


def _pairs(graph: BenchGraph, count: int) -> np.ndarray[Any, Any]:
    """Half linked, half not, none a node with itself."""
    generator = np.random.default_rng(0)
    linked = graph.edge_index[:, generator.integers(graph.edge_index.shape[1], size=count // 2)]
    source = generator.integers(graph.num_nodes, size=count - count // 2)
    target = (source + generator.integers(1, graph.num_nodes, size=len(source))) % graph.num_nodes
    return np.concatenate([linked, np.stack([source, target])], axis=1)


PARTS = {"airports": airports, "arxiv": arxiv}
