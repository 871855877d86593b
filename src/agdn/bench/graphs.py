"""The graphs that are measured on: real ones where AGDN_DATA names their folder, else generated ones of that shape."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Edges = np.ndarray[Any, np.dtype[np.int64]]  # (2, E), sources in row 0

HUB_DEGREE = 100_000


@dataclass(frozen=True)
class BenchGraph:
    """Edges, number of nodes, and what to call it on a page."""

    name: str
    edge_index: Edges
    num_nodes: int

    def __str__(self) -> str:
        return f"{self.name}, {self.num_nodes:,} nodes, {self.edge_index.shape[1]:,} edges"


def arxiv(scale: float = 1.0) -> BenchGraph:
    """ogbn-arxiv with unmerged reverse edges and a self-loop on every node: 169,343 nodes, 2,501,829 edges."""
    nodes, links = _scaled(169_343, scale), _scaled(1_166_243, scale)
    return _real_or(
        lambda: _power_law(nodes, links, exponent=0.6), "ogbn-arxiv", "ogbn_arxiv", nodes, scale, self_loops=True
    )


def ddi(scale: float = 1.0) -> BenchGraph:
    """ogbl-ddi in both directions: 4,267 nodes, 2,135,822 edges."""
    nodes, links = _scaled(4_267, scale), _scaled(1_067_911, scale)
    return _real_or(
        lambda: _power_law(nodes, links, exponent=0.3), "ogbl-ddi", "ogbl_ddi", nodes, scale, self_loops=False
    )


def products(scale: float = 1.0) -> BenchGraph:
    """A generated graph in the shape of ogbn-products, in both directions: 2,449,029 nodes, 123,718,280 edges."""
    nodes, links = _scaled(2_449_029, scale), _scaled(61_859_140, scale)
    edges = _both_ways(_power_law(nodes, links, exponent=0.4))
    return BenchGraph("generated in the shape of ogbn-products", edges, nodes)


def airports(scale: float = 1.0) -> BenchGraph:
    """A generated graph in the shape of USAir, in both directions: 332 nodes, 4,252 edges."""
    nodes, links = _scaled(332, scale), _scaled(2_126, scale)
    return BenchGraph("generated in the shape of USAir", _both_ways(_power_law(nodes, links, exponent=0.8)), nodes)


def proteins(scale: float = 1.0) -> BenchGraph:
    """A generated graph in the shape of ogbn-proteins, in both directions: 132,534 nodes, 79,122,504 edges."""
    nodes, links = _scaled(132_534, scale), _scaled(39_561_252, scale)
    edges = _both_ways(_power_law(nodes, links, exponent=0.3))
    return BenchGraph("generated in the shape of ogbn-proteins", edges, nodes)


def ppa(scale: float = 1.0) -> BenchGraph:
    """Generated links in the shape of ogbl-ppa, each once: 576,289 nodes, 30,326,273 links."""
    nodes, links = _scaled(576_289, scale), _scaled(30_326_273, scale)
    return BenchGraph("generated in the shape of ogbl-ppa", _power_law(nodes, links, exponent=0.5), nodes)


def citation2(scale: float = 1.0) -> BenchGraph:
    """Generated links in the shape of ogbl-citation2, each once: 2,927,963 nodes, 30,561,187 links."""
    nodes, links = _scaled(2_927_963, scale), _scaled(30_561_187, scale)
    return BenchGraph("generated in the shape of ogbl-citation2", _power_law(nodes, links, exponent=0.5), nodes)


def power_law(num_nodes: int, num_edges: int) -> BenchGraph:
    """A generated symmetric graph with about the given number of edges."""
    links = _power_law(num_nodes, num_edges // 2, exponent=0.6)
    return BenchGraph("generated power law", _both_ways(links), num_nodes)


def hub(scale: float = 1.0) -> BenchGraph:
    """One node linked with 100,000 others, which have one more link each."""
    degree = _scaled(HUB_DEGREE, scale)
    spokes = np.stack([np.zeros(degree, np.int64), np.arange(1, degree + 1)])
    others = np.random.default_rng(0).integers(1, degree + 1, (2, degree // 2))
    return BenchGraph(f"hub of degree {degree:,}", _both_ways(np.concatenate([spokes, others], axis=1)), degree + 1)


def without_self_loops(graph: BenchGraph) -> BenchGraph:
    source, target = graph.edge_index
    return BenchGraph(f"{graph.name} without self-loops", graph.edge_index[:, source != target], graph.num_nodes)


def _real_or(
    generated: Callable[[], Edges], name: str, folder: str, num_nodes: int, scale: float, *, self_loops: bool
) -> BenchGraph:
    data = os.environ.get("AGDN_DATA")
    real = bool(data) and scale == 1
    links = _read_links(Path(str(data)) / folder / "raw" / "edge.csv.gz", num_nodes) if real else generated()
    edges = _both_ways(links)
    if self_loops:
        edges = np.concatenate([edges, np.tile(np.arange(num_nodes), (2, 1))], axis=1)
    return BenchGraph(name if real else f"generated in the shape of {name}", edges, num_nodes)


def _read_links(file: Path, num_nodes: int) -> Edges:
    if not file.exists():
        raise ValueError(f"AGDN_DATA has no {file}; unset it to measure on a generated graph")
    try:
        links: Edges = np.loadtxt(file, delimiter=",", dtype=np.int64, ndmin=2).T
    except (OSError, EOFError, ValueError) as error:
        raise ValueError(f"{file} is not a gzipped table of two integers a row: {error}") from None
    if links.shape[0] != 2 or links.min() < 0 or links.max() >= num_nodes:
        raise ValueError(f"{file} must hold two node ids below {num_nodes:,} a row")
    return np.ascontiguousarray(links)


def _power_law(num_nodes: int, num_links: int, *, exponent: float) -> Edges:
    """Links whose ends are drawn with weights that fall as a power of the node's rank; ranks are shuffled ids."""
    generator = np.random.default_rng(0)
    weight = np.arange(1, num_nodes + 1, dtype=np.float64) ** -exponent
    ends = np.searchsorted(np.cumsum(weight) / weight.sum(), generator.random((2, num_links)))
    return generator.permutation(num_nodes)[np.minimum(ends, num_nodes - 1)]


def _both_ways(links: Edges) -> Edges:
    return np.concatenate([links, links[::-1]], axis=1)


def _scaled(count: int, scale: float) -> int:
    return max(2, round(count * scale))
