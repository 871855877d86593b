"""Batches of a big graph: sampled neighbourhoods against DGL, parts and GraphSAINT walks against PyG's utilities."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agdn.bench import graphs
from agdn.bench.child import System
from agdn.bench.graphs import BenchGraph
from agdn.bench.inputs import write_graph
from agdn.bench.rows import Section
from agdn.bench.setting import DGL, Setting

EPOCH = ("epoch",)
FANOUTS, BATCH_SIZE, SEED_BATCHES = (15, 10, 5), 1024, 20
PARTS_OF_PRODUCTS = 35
ROOTS, LENGTH, WALK_BATCHES = 6_000, 2, 20
PYG, WALKS_AND_PYG = "PyG subgraph", "torch walks, PyG subgraph"


def neighbours(setting: Setting, folder: Path) -> Iterator[Section]:
    """DGL makes a block a hop, in which earlier nodes draw again; ours makes one graph, in which each draws once."""
    graph = graphs.without_self_loops(graphs.arxiv(setting.scale))
    spec = {
        **_spec("neighbours", setting, folder, graph),
        "fanouts": FANOUTS,
        "batch_size": BATCH_SIZE,
        "batches": SEED_BATCHES,
    }
    reference = None if setting.dgl_python is None else DGL
    systems = [System("agdn", "ours", spec, EPOCH, reference=reference)]
    if setting.dgl_python is not None:
        systems.append(System(DGL, "on_dgl", spec, EPOCH, python=setting.dgl_python, reference=DGL))
    title = f"{SEED_BATCHES} batches of {BATCH_SIZE:,} seeds with {', '.join(map(str, FANOUTS))} neighbours: {graph}"
    yield Section(title, tuple(systems))


def partition(setting: Setting, folder: Path) -> Iterator[Section]:
    graph = graphs.products(setting.scale)
    spec = {**_spec("partition", setting, folder, graph), "parts": PARTS_OF_PRODUCTS}
    title = f"an epoch of {PARTS_OF_PRODUCTS} random parts: {graph}"
    del graph  # gigabytes that the measured processes may need
    yield Section(title, _ours_and(PYG, "on_pyg", spec))


def saint_walks(setting: Setting, folder: Path) -> Iterator[Section]:
    graph = graphs.without_self_loops(graphs.arxiv(setting.scale))
    shape = {"roots": ROOTS, "length": LENGTH, "batches": WALK_BATCHES}
    spec = {**_spec("saint walks", setting, folder, graph), **shape}
    title = f"{WALK_BATCHES} GraphSAINT batches, {ROOTS:,} walks of {LENGTH} steps: {graph}"
    yield Section(title, _ours_and(WALKS_AND_PYG, "plain", spec))


def _ours_and(name: str, peer: str, spec: dict[str, Any]) -> tuple[System, ...]:
    return System("agdn", "ours", spec, EPOCH, reference=name), System(name, peer, spec, EPOCH, reference=name)


def _spec(sampler: str, setting: Setting, folder: Path, graph: BenchGraph) -> dict[str, Any]:
    inputs = write_graph(folder / sampler.replace(" ", "-"), graph)
    return {
        "task": "batches",
        "sampler": sampler,
        "folder": str(inputs),
        "nodes": graph.num_nodes,
        "threads": setting.threads,
    }


PARTS = {"neighbours": neighbours, "partition": partition, "saint-walks": saint_walks}
