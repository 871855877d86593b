"""How time grows with edges, hops and channels, and what a second thread gives.

The input is narrow (16 channels), so that the dense matmuls do not hide the diffusion.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agdn.bench import graphs
from agdn.bench.child import System
from agdn.bench.graphs import BenchGraph
from agdn.bench.inputs import write_layer
from agdn.bench.rows import Section
from agdn.bench.setting import Setting

FACTORS = (1, 2, 4, 8)
NODES, EDGES, HOPS, CHANNELS, IN_CHANNELS = 169_343, 1_250_000, 2, 128, 16
PHASES = ("forward + backward",)


def over_edges(setting: Setting, folder: Path) -> Iterator[Section]:
    systems = []
    for factor in FACTORS:
        graph = _graph(setting, factor)
        inputs = _inputs(folder / f"edges-{factor}", graph, CHANNELS)
        systems.append(_point("edges", factor, inputs, setting, hops=HOPS, channels=CHANNELS))
    yield Section(f"time over edges, K = {HOPS}, d = {CHANNELS}, from {_graph(setting)}", tuple(systems))


def over_hops(setting: Setting, folder: Path) -> Iterator[Section]:
    graph = _graph(setting)
    inputs = _inputs(folder / "hops", graph, CHANNELS)
    systems = (_point("hops", factor, inputs, setting, hops=factor, channels=CHANNELS) for factor in FACTORS)
    yield Section(f"time over hops, from K = 1, d = {CHANNELS}: {graph}", tuple(systems))


def over_channels(setting: Setting, folder: Path) -> Iterator[Section]:
    graph, systems = _graph(setting), []
    for factor in FACTORS:
        inputs = _inputs(folder / f"channels-{factor}", graph, factor * CHANNELS)
        systems.append(_point("channels", factor, inputs, setting, hops=HOPS, channels=factor * CHANNELS))
    yield Section(f"time over channels, K = {HOPS}, from d = {CHANNELS}: {graph}", tuple(systems))


def over_threads(setting: Setting, folder: Path) -> Iterator[Section]:
    for name, graph in (("arxiv", graphs.arxiv(setting.scale)), ("hub", graphs.hub(setting.scale))):
        inputs = _inputs(folder / f"threads-{name}", graph, CHANNELS)
        spec = _spec(inputs, hops=HOPS, channels=CHANNELS)
        systems = tuple(
            System(
                f"agdn, {_threads(count)}",
                "ours",
                {**spec, "threads": count},
                PHASES,
                reference=f"agdn, {_threads(1)}",
                same_answers=name,
            )
            for count in dict.fromkeys((1, setting.threads))
        )
        yield Section(f"threads, K = {HOPS}, d = {CHANNELS}: {graph}", systems)


def _point(axis: str, factor: int, inputs: Path, setting: Setting, *, hops: int, channels: int) -> System:
    """One size; its ratio is 1 where time is linear, above 1 where it grows more slowly."""
    spec = {**_spec(inputs, hops=hops, channels=channels), "threads": setting.threads}
    return System(f"{axis} x {factor}", "ours", spec, PHASES, reference=f"{axis} x 1", reference_factor=factor)


def _spec(inputs: Path, *, hops: int, channels: int) -> dict[str, object]:
    return {
        "task": "layer",
        "folder": str(inputs),
        "hops": hops,
        "heads": 1,
        "channels": channels,
        "memory": "store",
    }


def _graph(setting: Setting, factor: int = 1) -> BenchGraph:
    return graphs.power_law(max(2, round(NODES * setting.scale)), max(2, round(factor * EDGES * setting.scale)))


def _inputs(folder: Path, graph: BenchGraph, channels: int) -> Path:
    return write_layer(folder, graph, in_channels=IN_CHANNELS, channels=channels, heads=1)


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"


PARTS = {"edges": over_edges, "hops": over_hops, "channels": over_channels, "threads": over_threads}
