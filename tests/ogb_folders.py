"""Small folders in the layout in which OGB leaves its sets."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np


def put(path: Path, rows: np.ndarray | list[object]) -> None:
    """A gzipped CSV file, one row a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = np.asarray(rows)
    table = table.reshape(len(table), -1)
    text = "".join(",".join(map(str, row)) + "\n" for row in table.tolist())
    path.write_bytes(gzip.compress(text.encode()))


def write_arxiv(folder: Path, *, count: int = 200) -> None:
    """A random graph in the place of ogbn-arxiv, with its 40 classes and 128 features."""
    draw = np.random.default_rng(0)
    edges = draw.integers(count, size=(5 * count, 2))
    labels = np.arange(count) % 40
    put(folder / "raw/edge.csv.gz", edges)
    put(folder / "raw/num-node-list.csv.gz", [count])
    put(folder / "raw/num-edge-list.csv.gz", [len(edges)])
    put(folder / "raw/node-feat.csv.gz", draw.normal(size=(count, 128)).round(3))
    put(folder / "raw/node-label.csv.gz", labels)
    put(folder / "raw/node_year.csv.gz", 2013 + np.arange(count) // 40)
    parts = np.split(np.arange(count), [count // 2, count * 3 // 4])
    for part, ids in zip(("train", "valid", "test"), parts, strict=True):
        put(folder / f"split/time/{part}.csv.gz", ids)
