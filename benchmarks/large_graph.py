"""An epoch in parts and an evaluation layer by layer on a generated graph as large as ogbn-products.

    python benchmarks/large_graph.py --folder /large/disk --out docs/benchmarks/large-graph.md

The dataset is made once and stored in the folder; training and evaluation are ``ogbn-products/agdn`` as it stands, one
epoch long, in a process of their own. Features and labels are random: time and memory are what is measured.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import threading
import time
from pathlib import Path

import torch

from agdn.bench import graphs
from agdn.data.dataset import Dataset, NodeSplit
from agdn.data.store import open_dataset, save
from agdn.experiments.experiment import Experiment
from agdn.experiments.memory_size import memory_size
from agdn.experiments.recipes import read_recipe
from agdn.graph import Graph
from agdn.training.loop import fit
from agdn.training.state import State

CLASSES, FEATURES = 47, 100
TRAIN, VALID = 196_615, 39_323


def stored(folder: Path, scale: float) -> Path:
    """The generated dataset, made where it is not there yet."""
    place = folder / f"products-shape-{scale:g}"
    if (place / "dataset.json").exists():
        return place
    made = graphs.products(scale)
    generator = torch.Generator().manual_seed(0)
    order = torch.randperm(made.num_nodes, generator=generator)
    train, valid = int(TRAIN * scale), int(TRAIN * scale) + int(VALID * scale)
    dataset = Dataset(
        name="products-shape",
        graph=Graph(torch.from_numpy(made.edge_index), made.num_nodes),
        target="class",
        metric="accuracy",
        splits=(NodeSplit(*(part.sort().values for part in order.tensor_split([train, valid]))),),
        x=torch.randn(made.num_nodes, FEATURES, generator=generator),
        y=torch.randint(CLASSES, (made.num_nodes,), generator=generator),
    )
    save(dataset, place, key="generated")
    return place


class Watch:
    """The most anonymous memory that this process held while the block ran, and its seconds."""

    def __enter__(self) -> Watch:
        self.peak, self._going, self._start = 0, True, time.perf_counter()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self._start
        self._going = False
        self._thread.join()

    def _look(self) -> None:
        while self._going:
            fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
            self.peak = max(self.peak, 1024 * int(fields["RssAnon"].split()[0]))
            time.sleep(0.02)


def measured(place: Path, memory: str, threads: int) -> dict[str, float]:
    torch.set_num_threads(threads)
    recipe = read_recipe("ogbn-products/agdn", [f"data.name={place}", f"inference_memory={memory}"])
    with Watch() as opening:
        open_dataset(place)
    with Watch() as assembling:
        built = Experiment(recipe, 0, Path()).assemble()
    settings = recipe.training.model_copy(update={"epochs": 2, "evaluate_from": 2})  # the first is not evaluated
    with Watch() as epoch:
        next(fit(built.model, built.task, built.inputs, settings, State(built.model, settings)))
    with Watch() as inference, torch.no_grad():
        built.task.outputs(built.model.eval(), built.inputs)
    watches = {"opening": opening, "assembling": assembling, "epoch": epoch, "inference": inference}
    found: dict[str, float] = {}
    for name, watch in watches.items():
        found |= {f"{name} seconds": watch.seconds, f"{name} peak": watch.peak}
    found |= {"nodes": built.dataset.graph.num_nodes, "edges": built.dataset.graph.num_edges}
    return found | {"parameters": sum(p.numel() for p in built.model.parameters())}


def page(found: dict[str, float], memory: str, threads: int) -> str:
    rows = [
        ("opening the stored dataset", "opening"),
        ("graph, task and model", "assembling"),
        ("an epoch in 35 random parts", "epoch"),
        (f"evaluation layer by layer, `--memory {memory}`", "inference"),
    ]
    return "\n".join(
        [
            "# A graph as large as ogbn-products",
            "",
            "Written by `benchmarks/large_graph.py`; run it again to renew this page.",
            "",
            f"{datetime.date.today().isoformat()}, {platform.machine()}, {threads} threads, torch {torch.__version__}: "
            f"{int(found['nodes']):,} nodes, {int(found['edges']):,} directed edges (generated), {FEATURES} features; "
            f"`ogbn-products/agdn`, {int(found['parameters']):,} parameters (4 layers, K = 3, 480 wide).",
            "",
            "| | seconds | anonymous memory at most (RssAnon) |",
            "|---|---|---|",
            *(
                f"| {name} | {found[f'{key} seconds']:.1f} | {found[f'{key} peak'] / 1e9:.2f} GB |"
                for name, key in rows
            ),
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="Where the dataset goes (about 3 GB).")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    memory_size(options.memory)
    if options.measure is not None:
        sys.stdout.write(json.dumps(measured(options.measure, options.memory, options.threads)))
        return
    child = [sys.executable, __file__, "--folder", str(options.folder), "--memory", options.memory]
    child += ["--threads", str(options.threads), "--measure", str(stored(options.folder, options.scale))]
    answer = subprocess.run(child, check=True, stdout=subprocess.PIPE)
    text = page(json.loads(answer.stdout), options.memory, options.threads)
    sys.stdout.write(text)
    if options.out is not None:
        options.out.write_text(text)


if __name__ == "__main__":
    main()
