"""Random walks and the embeddings that they train, against the same in plain torch.

The torch form of the embedding is that of PyG's ``Node2Vec`` (one window after the other, SparseAdam); it trains a
hundredth of the walks, and its time is multiplied.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agdn.bench import graphs
from agdn.bench.child import System
from agdn.bench.graphs import BenchGraph
from agdn.bench.inputs import write_graph
from agdn.bench.rows import Section
from agdn.bench.setting import Setting

WALK_LENGTH, WINDOW, WALKS_PER_NODE, DIM = 40, 20, 10, 128
SHARE = 100
TORCH = "torch"
UNIFORM, SECOND_ORDER, EPOCH = "uniform", "p = 0.5, q = 2", "epoch"


def steps(setting: Setting, folder: Path) -> Iterator[Section]:
    graph = graphs.without_self_loops(graphs.arxiv(setting.scale))
    spec = {"task": "walks", **_inputs(setting, folder, graph)}
    count = (WALK_LENGTH - 1) * graph.num_nodes
    yield Section(
        f"a walk of {WALK_LENGTH - 1} steps from every node, {count:,} steps in all, steps per second: {graph}",
        (
            System("agdn", "ours", spec, (UNIFORM, SECOND_ORDER), reference=TORCH, units=count),
            System(TORCH, "plain", spec, (UNIFORM,), reference=TORCH, units=count),
        ),
    )


def embedding(setting: Setting, folder: Path) -> Iterator[Section]:
    graph = graphs.without_self_loops(graphs.arxiv(setting.scale))
    walks = WALKS_PER_NODE * graph.num_nodes
    shape = {"dim": DIM, "walk_length": WALK_LENGTH, "window": WINDOW, "walks_per_node": WALKS_PER_NODE}
    spec = {"task": "walk embedding", **_inputs(setting, folder, graph), **shape}
    few = max(1, graph.num_nodes // SHARE)
    part = f"torch, 1/{SHARE} of the walks"
    yield Section(
        f"an epoch of {walks:,} walks, {WALK_LENGTH} nodes, window {WINDOW}, {DIM} channels, walks per second: {graph}",
        (
            System(
                "agdn",
                "ours",
                spec,
                (EPOCH,),
                reference=part,
                reference_factor=graph.num_nodes / few,
                units=walks,
            ),
            System(part, "plain", {**spec, "starts": few}, (EPOCH,), reference=part, units=WALKS_PER_NODE * few),
        ),
    )


def _inputs(setting: Setting, folder: Path, graph: BenchGraph) -> dict[str, Any]:
    inputs = write_graph(folder / "graph", graph)
    return {"folder": str(inputs), "nodes": graph.num_nodes, "steps": WALK_LENGTH - 1, "threads": setting.threads}


PARTS = {"steps": steps, "embedding": embedding}
