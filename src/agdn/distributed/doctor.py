"""Proves that ranks can work together, before a long run relies on it.

Every rank tells who it is and what it has installed; then all exchange numbers whose sum is known, compare their
clocks, measure what passes between them, and compute a layer on a graph in parts that each also computes on the whole.
"""

from __future__ import annotations

import hashlib
import os
import platform
import socket
import statistics
import time
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import torch

from agdn.distributed.part_graph import PartGraph, cut_out
from agdn.distributed.world import INTERFACE, MEETING, World
from agdn.graph import Graph
from agdn.nn.conv import AGDNConv

Row = tuple[str, str, str]
ROUNDS = 5
LARGE = 1 << 22  # float32 numbers to every other rank
CLOCK_LIMIT = 1.0  # seconds that clocks may be apart before it is called a problem
NODES, EDGES = 64, 400
PACKAGES = ("torch", "numpy", "numba")


def examined(world: World, data: str | None = None) -> list[Row]:
    """The findings, the same on every rank; ``data`` is a fingerprint of the dataset that the run will use."""
    told = world.told_by_all(_self(data), "who is there")
    rows = [(f"rank {rank}", f"{t['host']}, process {t['pid']}, {t['memory']}", "ok") for rank, t in enumerate(told)]
    rows += [_same(world, told, key, words) for key, words in _COMPARED.items() if told[0].get(key) is not None]
    rows += [_sums(world), _clock(world), *_passing(world), _layer(world)]
    where = "a folder" if MEETING in os.environ else f"{os.environ.get('MASTER_ADDR')}:{os.environ.get('MASTER_PORT')}"
    rows.append(("network", f"interface {os.environ.get(INTERFACE, 'chosen by gloo')}, ranks meet in {where}", "ok"))
    return rows


_COMPARED = {
    "python": "python",
    "versions": "packages",
    "code": "code of agdn",
    "data": "dataset",
    "processor": "processor",
}


def _self(data: str | None) -> dict[str, Any]:
    pages = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "memory": f"{pages / 1e9:.1f} GB free, {torch.get_num_threads()} threads",
        "python": platform.python_version(),
        "versions": ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES),
        "code": code_digest(),
        "data": data,
        "processor": platform.machine(),
    }


def code_digest() -> str:
    """Of every source file of the package."""
    digest, root = hashlib.sha256(), Path(str(resources.files("agdn")))
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _same(world: World, told: list[dict[str, Any]], key: str, words: str) -> Row:
    values = [t[key] for t in told]
    odd = [rank for rank, value in enumerate(values) if value != values[0]]
    state = "ok" if not odd else f"problem: rank {odd[0]} has {values[odd[0]]}; install the same everywhere"
    return words, str(values[0]), state


def _sums(world: World) -> Row:
    """Sums and exchanges whose outcome is known."""
    total = world.sum(torch.full((7,), float(world.rank + 1)), "doctor: sum")
    right = bool((total == world.size * (world.size + 1) / 2).all())
    outgoing = [rank + 1 for rank in range(world.size)]
    values = torch.cat([torch.full((count,), world.rank) for count in outgoing])
    received = world.begin_all_to_all(values, outgoing, [world.rank + 1] * world.size, "doctor: exchange")()
    right = right and received.tolist() == [r for r in range(world.size) for _ in range(world.rank + 1)]
    wrong = world.highest(0 if right else 1, "doctor: outcome")
    return "collectives", "sum, uneven exchange", "problem: a collective gave wrong numbers" if wrong else "ok"


def _clock(world: World) -> Row:
    """How far clocks are apart; the exchange itself blurs it by its own time."""
    apart = []
    for _ in range(ROUNDS):
        world.highest(0, "doctor: clock")
        times = world.told_by_all(time.time(), "doctor: clock")
        apart.append(max(times) - min(times))
    found = min(world.told_by_all(min(apart), "doctor: clock"))
    state = "ok" if found < CLOCK_LIMIT else "problem: set the clocks, for instance by NTP"
    return "clocks", f"within {found * 1000:.1f} ms", state


def _passing(world: World) -> list[Row]:
    """Time of the smallest exchange, and what passes a second from rank to rank in a large one."""
    small = _seconds(world, 1)
    large = _seconds(world, LARGE)
    sent = 4 * LARGE * (world.size - 1)
    slowest = max(world.told_by_all([small, large], "doctor: times"), key=lambda pair: pair[1])
    speed = f"{sent / max(slowest[1], 1e-9) / 1e6:.0f} MB/s out of every rank"
    return [("exchange, small", f"{slowest[0] * 1e3:.2f} ms", "ok"), ("exchange, large", speed, "ok")]


def _seconds(world: World, count: int) -> float:
    values, sizes = torch.ones(count * world.size), [count] * world.size
    times = []
    for _ in range(ROUNDS):
        world.highest(0, "doctor: start")
        start = time.perf_counter()
        world.begin_all_to_all(values, sizes, sizes, "doctor: exchange")()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _layer(world: World) -> Row:
    """A layer on the graph in parts against the same on the whole graph, with its gradients."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        graph = Graph(torch.randint(NODES, (2, EDGES)), NODES)
        x = torch.randn(NODES, 8, dtype=torch.float64)
        layer = AGDNConv(8, 4, 3, 2, transition="gat_sym", weighting="HA", edge_dropout=0.2).double()
        owner = torch.arange(NODES) % world.size
        torch.manual_seed(1)
        whole = layer(x, graph)
        whole.square().sum().backward()
        expected = torch.cat([p.grad.flatten() for p in layer.parameters() if p.grad is not None])
        layer.zero_grad()
        part = PartGraph.joined(cut_out(graph, owner, world.rank), world)
        torch.manual_seed(1)
        out = layer(x[part.nodes], part)
        out.square().sum().backward()
        found = world.sum(torch.cat([p.grad.flatten() for p in layer.parameters() if p.grad is not None]))
    right = torch.allclose(out, whole[part.nodes], rtol=1e-8) and torch.allclose(found, expected, rtol=1e-7, atol=1e-9)
    wrong = world.highest(0 if right else 1, "doctor: outcome")
    state = "problem: a layer in parts differs from the whole; the ranks' processors or libraries differ"
    return "a layer in parts", "output and gradients of the whole graph", state if wrong else "ok"
