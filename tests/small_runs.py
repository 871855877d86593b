"""Configurations and tables that train in a moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agdn.data.tables import import_tables
from agdn.experiments.checking import checked
from agdn.experiments.config import Config
from agdn.experiments.overrides import with_overrides

SMALL: dict[str, Any] = {
    "name": "small",
    "data": {"name": "csbm", "options": {"num_nodes": 120}, "self_loops": "add"},
    "model": {"name": "AGDN", "hidden_channels": 4, "num_layers": 2, "hops": 2, "dropout": 0.2},
    "training": {"epochs": 4},
    "threads": 1,
}


def small(*changes: str) -> Config:
    return checked(with_overrides(SMALL, changes), "small")


def write_tables(folder: Path, *, first: int = 0, count: int = 60, target: bool = True) -> tuple[Path, Path]:
    """A ring of nodes with a number, a word and (``target``) a class that both tell."""
    folder.mkdir(exist_ok=True)
    rows = range(first, first + count)
    header = "id,size,colour" + (",kind" if target else "")
    lines = [
        f"n{row},{row % 2 + row / 1000},{('red', 'blue')[row % 2]}" + (f",{('even', 'odd')[row % 2]}" if target else "")
        for row in rows
    ]
    (folder / "nodes.csv").write_text("\n".join([header, *lines]) + "\n")
    ring = [f"n{row},n{first + (row - first + 2) % count}" for row in rows]
    (folder / "edges.csv").write_text("\n".join(["source,target", *ring]) + "\n")
    return folder / "nodes.csv", folder / "edges.csv"


def import_small(folder: Path) -> Path:
    """A dataset stored from tables."""
    nodes, edges = write_tables(folder / "tables")
    import_tables(nodes, edges, target="kind", out=folder / "stored")
    return folder / "stored"
