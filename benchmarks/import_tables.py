"""Import a large table of string ids and report time and peak memory: python benchmarks/import_tables.py

Writes a CSV of nodes (an id, two numbers, a category and a label) and one of edges into a temporary folder, imports
them in a process of its own and prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROWS = 500_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--folder", type=Path, help="where to put the temporary files")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        write_tables(Path(folder), arguments.nodes, arguments.edges)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            figures = pool.apply(measure, (Path(folder),))
    sys.stdout.write(json.dumps({"nodes": arguments.nodes, "edges": arguments.edges, **figures}) + "\n")


def write_tables(folder: Path, nodes: int, edges: int) -> None:
    generator = np.random.default_rng(0)
    names = np.char.add("user-", generator.permutation(nodes).astype(str))
    with (folder / "nodes.csv").open("w") as file:
        file.write("id,age,income,country,label\n")
        for start in range(0, nodes, ROWS):
            part = names[start : start + ROWS]
            ages, incomes = generator.integers(18, 90, len(part)), generator.normal(size=len(part)).round(4)
            countries, labels = generator.integers(0, 40, len(part)), generator.integers(0, 5, len(part))
            columns = zip(part, ages, incomes, countries, labels, strict=True)
            file.writelines(
                f"{name},{age},{income},c{country},class{label}\n" for name, age, income, country, label in columns
            )
    with (folder / "edges.csv").open("w") as file:
        file.write("source,target\n")
        for start in range(0, edges, ROWS):
            ends = names[generator.integers(0, nodes, size=(2, min(ROWS, edges - start)))]
            file.writelines(f"{source},{target}\n" for source, target in ends.T)


def measure(folder: Path) -> dict[str, float]:
    from rich.progress import Progress

    from agdn.data.tables import import_tables

    start = time.perf_counter()
    with Progress(transient=True) as bars:
        tasks = {stage: bars.add_task(stage, total=1.0) for stage in ("nodes", "edges")}
        import_tables(
            folder / "nodes.csv",
            folder / "edges.csv",
            target="label",
            out=folder / "out",
            progress=lambda stage, done: bars.update(tasks[stage], completed=done),
        )
    imported = time.perf_counter()
    again = import_tables(folder / "nodes.csv", folder / "edges.csv", target="label", out=folder / "out")
    assert again.from_store
    return {
        "import_seconds": round(imported - start, 1),
        "again_seconds": round(time.perf_counter() - imported, 1),
        "peak_rss_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        "stored_gb": round(
            sum(path.stat().st_size for path in (folder / "out").rglob("*") if path.is_file()) / 2**30, 2
        ),
    }


if __name__ == "__main__":
    main()
