"""The recipes of large sets on generated graphs of their shape: time, and the most anonymous memory that they held.

    python benchmarks/large_graph.py --folder /large/disk --out docs/benchmarks/large-graph.md ogbn-products ...

A dataset is made once and stored in the folder. Training and evaluation are the set's ``agdn`` recipe as it stands, an
epoch or ``--steps`` of one, in a process of their own. Features, labels and edges are random: nothing is to be learnt.
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
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from agdn.bench import graphs
from agdn.bench.graphs import BenchGraph
from agdn.data.dataset import Dataset, EdgeSplit, NodeSplit
from agdn.data.pair_keys import among, unordered_keys
from agdn.data.store import open_dataset, save
from agdn.experiments.experiment import Experiment
from agdn.experiments.memory_size import memory_size
from agdn.experiments.recipes import read_recipe
from agdn.graph import Graph
from agdn.training.state import State


def _graph(made: BenchGraph) -> Graph:
    return Graph(torch.from_numpy(made.edge_index), made.num_nodes)


def _node_split(nodes: int, train: float, valid: float, generator: torch.Generator) -> NodeSplit:
    order = torch.randperm(nodes, generator=generator)
    parts = order.tensor_split([int(train * nodes), int((train + valid) * nodes)])
    return NodeSplit(*(part.sort().values for part in parts))


def products(scale: float, generator: torch.Generator) -> Dataset:
    made = graphs.products(scale)
    nodes = made.num_nodes
    return Dataset(
        name="ogbn-products",
        graph=_graph(made),
        target="class",
        metric="accuracy",
        splits=(_node_split(nodes, 0.0803, 0.0161, generator),),
        x=torch.randn(nodes, 100, generator=generator),
        y=torch.randint(47, (nodes,), generator=generator),
    )


def proteins(scale: float, generator: torch.Generator) -> Dataset:
    made = graphs.proteins(scale)
    nodes, graph = made.num_nodes, _graph(made)
    return Dataset(
        name="ogbn-proteins",
        graph=graph,
        target="multilabel",
        metric="rocauc",
        splits=(_node_split(nodes, 0.6536, 0.1602, generator),),
        edge_attr=torch.rand(graph.num_edges, 8, generator=generator),
        y=(torch.rand(nodes, 112, generator=generator) < 0.2).float(),
    )


def _pairs(nodes: int, count: int, known: Tensor, generator: torch.Generator) -> Tensor:
    """Random pairs that are no edges."""
    drawn = torch.randint(nodes, (2, count + count // 10), generator=generator)
    return drawn[:, ~among(unordered_keys(drawn, nodes), known) & (drawn[0] != drawn[1])][:, :count]


def _linked(
    made: BenchGraph, name: str, metric: str, *, held: int, features: int, per_edge: int | None
) -> Callable[[torch.Generator], Dataset]:
    def dataset(generator: torch.Generator) -> Dataset:
        nodes = made.num_nodes
        ends = torch.from_numpy(made.edge_index)
        keys = unordered_keys(ends, nodes)[ends[0] != ends[1]].unique()
        order = torch.randperm(len(keys), generator=generator)
        pairs = torch.stack([keys // nodes, keys % nodes])[:, order]
        valid, test, train = pairs[:, :held], pairs[:, held : 2 * held], pairs[:, 2 * held :]
        if per_edge is None:
            negatives = [_pairs(nodes, 3 * held, keys, generator) for _ in range(2)]
        else:
            negatives = [_own_negatives(part, per_edge, nodes, keys, generator) for part in (valid, test)]
        edges = train if per_edge else torch.cat([train, train.flip(0)], dim=1)
        return Dataset(
            name=name,
            graph=Graph(edges, nodes),
            target="link",
            metric=metric,
            splits=(EdgeSplit(train, valid, test, negatives[0], negatives[1], negatives_per_edge=per_edge),),
            x=torch.randn(nodes, features, generator=generator),
        )

    return dataset


def _own_negatives(positives: Tensor, count: int, nodes: int, known: Tensor, generator: torch.Generator) -> Tensor:
    """So many for each positive, of its own source; what is an edge by chance is drawn again."""
    sources = positives[0].repeat_interleave(count)
    targets = torch.randint(nodes, sources.shape, generator=generator)
    for _ in range(50):
        keys = unordered_keys(torch.stack([sources, targets]), nodes)
        again = (among(keys, known) | (sources == targets)).nonzero().squeeze(1)
        if not len(again):
            break
        targets[again] = torch.randint(nodes, again.shape, generator=generator)
    return torch.stack([sources, targets])


def ppa(scale: float, generator: torch.Generator) -> Dataset:
    held = max(10, int(3_000_000 * scale))
    return _linked(graphs.ppa(scale), "ogbl-ppa", "hits@100", held=held, features=58, per_edge=None)(generator)


def citation2(scale: float, generator: torch.Generator) -> Dataset:
    held = max(10, int(86_596 * scale))
    return _linked(graphs.citation2(scale), "ogbl-citation2", "mrr", held=held, features=128, per_edge=1000)(generator)


@dataclass(frozen=True)
class Shape:
    """How a set is generated, and what an epoch and an evaluation of its recipe are."""

    generate: Callable[[float, torch.Generator], Dataset]
    epoch: str
    evaluation: str


SHAPES = {
    "ogbn-products": Shape(products, "an epoch in 35 random parts", "evaluation of the whole graph, layer by layer"),
    "ogbn-proteins": Shape(proteins, "an epoch in 6 random parts", "evaluation in 2 random parts"),
    "ogbl-ppa": Shape(ppa, "steps on the whole graph", "evaluation of all parts"),
    "ogbl-citation2": Shape(citation2, "an epoch of 8 GraphSAINT subgraphs", "evaluation of all parts"),
}


def stored(folder: Path, name: str, scale: float) -> Path:
    """The generated dataset, made where it is not there yet."""
    place = folder / f"{name}-shape-{scale:g}"
    if not (place / "dataset.json").exists():
        save(SHAPES[name].generate(scale, torch.Generator().manual_seed(0)), place, key="generated")
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


def measured(name: str, place: Path, memory: str, threads: int, steps: int | None) -> dict[str, float]:
    torch.set_num_threads(threads)
    recipe = read_recipe(f"{name}/agdn", [f"data.name={place}", f"inference_memory={memory}"])
    with Watch() as opening:
        open_dataset(place)
    with Watch() as assembling:
        built = Experiment(recipe, 0, Path()).assemble()
    state = State(built.model, recipe.training)
    taken = min(steps or 10**9, built.task.steps(built.inputs))
    with Watch() as epoch:
        built.model.train()
        for loss in islice(built.task.losses(built.model, built.inputs, epoch=0, start=0), taken):
            state.optimizer.zero_grad(set_to_none=True)
            if loss is not None:
                loss.backward()
                state.optimizer.step()
    with Watch() as evaluation, torch.no_grad():
        built.task.evaluate(built.model.eval(), built.inputs)
    watches = {"opening": opening, "assembling": assembling, "epoch": epoch, "evaluation": evaluation}
    found: dict[str, float] = {}
    for key, watch in watches.items():
        found |= {f"{key} seconds": watch.seconds, f"{key} peak": watch.peak}
    graph = built.dataset.graph
    found |= {"nodes": graph.num_nodes, "edges": graph.num_edges, "steps": taken}
    return found | {"parameters": sum(p.numel() for p in built.model.parameters())}


def section(name: str, scale: float, found: dict[str, Any], memory: str, threads: int, steps: int | None) -> str:
    shape = SHAPES[name]
    epoch = shape.epoch if steps is None else f"{int(found['steps'])} {shape.epoch.removeprefix('an epoch of ')}"
    told = [
        ("opening the stored dataset", "opening"),
        ("graph, task and model", "assembling"),
        (epoch, "epoch"),
        (f"{shape.evaluation}, `--memory {memory}`", "evaluation"),
    ]
    size = "" if scale == 1 else f" at {scale:g} of its size"
    lines = [
        f"## `{name}/agdn`{size}",
        "",
        "{nodes:,} nodes, {edges:,} directed edges, {parameters:,} parameters.".format(**found)
        + f" {datetime.date.today().isoformat()}, {platform.machine()}, {threads} threads, torch {torch.__version__}.",
        "",
        "| | seconds | anonymous memory at most (RssAnon) |",
        "|---|---|---|",
        *(f"| {what} | {found[f'{key} seconds']:.1f} | {found[f'{key} peak'] / 1e9:.2f} GB |" for what, key in told),
    ]
    return "\n".join(lines)


def page(new: list[str], old: str) -> str:
    """The new sections, and those of an old page that were not measured again."""
    head = (
        "# Recipes of large sets on generated graphs of their shape\n\nWritten by `benchmarks/large_graph.py`, which "
        "renews the sets that it is asked for and keeps the others."
    )
    titles = {text.partition("\n")[0] for text in new}
    kept = [f"## {text.strip()}" for text in old.split("\n## ")[1:]]
    return "\n\n".join([head, *(text for text in kept if text.partition("\n")[0] not in titles), *new]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET[:SCALE[:STEPS]]", help=f"{', '.join(SHAPES)}; by default all.")
    parser.add_argument("--folder", type=Path, required=True, help="Where the datasets go (about 3 GB each).")
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    memory_size(options.memory)
    sections: list[str] = []
    old = options.out.read_text() if options.out is not None and options.out.exists() else ""
    for chosen in options.sets or list(SHAPES):
        name, scale, steps = [*chosen.split(":"), "", ""][:3]
        share, count = float(scale or 1), int(steps) if steps else None
        if options.measure is not None:
            found = measured(name, options.measure, options.memory, options.threads, count)
            sys.stdout.write(json.dumps(found))
            return
        child = [sys.executable, __file__, chosen, "--folder", str(options.folder), "--memory", options.memory]
        child += ["--threads", str(options.threads), "--measure", str(stored(options.folder, name, share))]
        answer = subprocess.run(child, check=True, stdout=subprocess.PIPE)
        sections.append(section(name, share, json.loads(answer.stdout), options.memory, options.threads, count))
        text = page(sections, old)
        if options.out is not None:
            options.out.write_text(text)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
