"""Memory and time of a training step against depth: reversible networks beside their plain forms.

    python benchmarks/reversible_depth.py --out docs/benchmarks/reversible.md --kept rows.jsonl

Every row is a process of its own: forward, loss and backward on a random graph; the first step is not timed. Memory is
the most that was resident beyond what was before the first step, gradients included, which do grow with depth. What
``--kept`` holds is not measured again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import torch

from agdn import Graph
from agdn.bench.machine import describe, require_linux
from agdn.experiments.tables import as_markdown
from agdn.models import build_model
from agdn.training.peak_memory import PeakMemory, resident

MODELS: dict[str, dict[str, Any]] = {
    "RevGNN": {"name": "RevGNN", "hidden_channels": 128, "norm": "layer", "dropout": 0.2},
    "RevGNN, means": {"name": "RevGNN", "hidden_channels": 128, "conv": "sage", "dropout": 0.2},
    "RevGAT": {"name": "RevGAT", "hidden_channels": 64, "heads": 2, "dropout": 0.2},
    "RevAGDN, K = 3": {"name": "RevAGDN", "hidden_channels": 64, "heads": 2, "hops": 3, "dropout": 0.2},
    "RevAGDN, K = 12": {"name": "RevAGDN", "hidden_channels": 64, "heads": 2, "hops": 12, "dropout": 0.2},
}
FORMS: dict[str, dict[str, Any]] = {"reversible": {}, "plain": {"reversible": False}}
HEADER = ("network", "layers", "form", "memory of a step", "times the shallowest", "seconds a step")
IN_CHANNELS, CLASSES = 64, 16


def measured(task: dict[str, Any]) -> dict[str, float]:
    """In the process of a row."""
    torch.set_num_threads(task["threads"])
    torch.manual_seed(0)
    nodes = task["nodes"]
    graph = Graph(torch.randint(nodes, (2, nodes * task["degree"])), nodes).with_self_loops()
    x, y = torch.randn(nodes, IN_CHANNELS), torch.randint(CLASSES, (nodes,))
    model = build_model(task["model"], in_channels=IN_CHANNELS, out_channels=CLASSES).train()
    small = Graph(torch.randint(50, (2, 200)), 50)
    model(torch.randn(50, IN_CHANNELS), small).sum().backward()  # compiles
    model.zero_grad(set_to_none=True)
    before, watched, seconds = resident(), PeakMemory(torch.device("cpu")), []
    for _ in range(task["steps"] + 1):
        begin = time.perf_counter()
        model.zero_grad(set_to_none=True)
        torch.nn.functional.cross_entropy(model(x, graph), y).backward()
        seconds.append(time.perf_counter() - begin)
    return {"bytes": (watched.bytes() or 0) - (before or 0), "seconds": min(seconds[1:])}


def kept_or_measured(task: str, kept: Path | None) -> dict[str, float]:
    known = dict(map(json.loads, kept.read_text().splitlines())) if kept is not None and kept.exists() else {}
    if task not in known:
        command = [sys.executable, __file__, "--measure", task]
        known[task] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        if kept is not None:
            with kept.open("a") as file:
                file.write(json.dumps([task, known[task]]) + "\n")
    result: dict[str, float] = known[task]
    return result


def rows(options: argparse.Namespace) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for label, model in MODELS.items():
        for form, changes in FORMS.items():
            shallowest = 0.0
            for depth in options.depths:
                task = {
                    "model": {**model, **changes, "num_layers": depth},
                    **{key: getattr(options, key) for key in ("nodes", "degree", "steps", "threads")},
                }
                result = kept_or_measured(json.dumps(task), options.kept)
                shallowest = shallowest or result["bytes"]
                memory = f"{result['bytes'] / 1e6:,.0f} MB"
                ratio = f"{result['bytes'] / shallowest:.2f}"
                found.append((label, str(depth), form, memory, ratio, f"{result['seconds']:.2f}"))
    return found


def page(found: list[tuple[str, ...]], options: argparse.Namespace) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in describe().items())
    return "\n".join(
        [
            "# Reversible networks: memory and time against depth",
            "",
            f"A random graph of {options.nodes:,} nodes with {options.degree} edges and a self-loop each, "
            f"{IN_CHANNELS} features, {options.threads} threads; written by `benchmarks/reversible_depth.py`. {facts}.",
            "",
            as_markdown(HEADER, found),
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depths", type=int, nargs="+", default=[4, 16, 64])
    parser.add_argument("--nodes", type=int, default=50_000)
    parser.add_argument("--degree", type=int, default=10)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    require_linux()
    if options.measure:
        sys.stdout.write(json.dumps(measured(json.loads(options.measure))))
        return
    text = page(rows(options), options)
    if options.out is not None:
        options.out.write_text(text)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
