"""Memory and traffic of a rank, measured at three sizes and set beside the formula of ``agdn.distributed.plan``.

    python benchmarks/distributed_memory.py --sizes 20000,40000,80000 --out docs/benchmarks/distributed-memory.md
    python benchmarks/distributed_memory.py --plan            what larger graphs would need, from the same formula

Each size is a generated graph that is partitioned on disk; every rank opens its own part and trains a few epochs, with
two widths. The formula's constants are those of the module; the table shows how far they carry.
"""

from __future__ import annotations

import argparse
import datetime
import subprocess
import sys
import tempfile
from pathlib import Path

from agdn.distributed import plan as formula
from agdn.distributed.plan import Layer, layers_of, plan, random_halo
from agdn.experiments.overrides import with_overrides
from agdn.experiments.result import Run, read_run
from agdn.experiments.yaml_text import write
from agdn.models import build_model

AGDN = [sys.executable, "-m", "agdn"]
BASE = {
    "data": {"name": "", "self_loops": "add"},
    "model": {"name": "AGDN", "num_layers": 3, "heads": 3, "hops": 3, "dropout": 0.5, "edge_dropout": 0.1},
    "training": {"epochs": 2},
}
GRAPHS = {  # nodes, edges, features, classes
    "ogbn-papers100M": (111_059_956, 1_615_685_872, 128, 172),
    "ten billion edges": (500_000_000, 10_000_000_000, 128, 100),
}


def measured(nodes: int, width: int, ranks: int, work: Path) -> Run:
    """A short run on a generated graph of so many nodes, in parts on disk."""
    name = f"{nodes}-{width}"
    options = f"options={{num_nodes: {nodes}, degree: 15, num_features: 128}}"
    place = work / f"parts-{nodes}"
    if not place.exists():
        command = [*AGDN, "data", "partition", "csbm", "--parts", str(ranks), "--out", str(place)]
        changes = ["--set", options, "--set", "self_loops=add"]
        subprocess.run([*command, *changes], check=True, stdout=subprocess.DEVNULL)
    recipe = work / f"{name}.yaml"
    recipe.write_text(write(with_overrides(BASE, [f"model.hidden_channels={width}", f"data.name={place}"])))
    words = ["train", str(recipe), "--nproc", str(ranks), "--quiet", "--out", str(work / "runs")]
    subprocess.run([*AGDN, *words], check=True, stdout=subprocess.DEVNULL)
    return read_run(work / "runs" / name / "seed-0")


def rows(run: Run, width: int) -> tuple[str, float]:
    model = build_model(
        {**BASE["model"], "hidden_channels": width},
        in_channels=run.dataset["in_channels"],
        out_channels=run.dataset["out_channels"],
    )
    plans = [
        plan(
            layers_of(model), nodes=part["nodes"], edges=part["edges"], features=run.dataset["in_channels"],
            halo=part["halo"], given=part["given"],
        )
        for part in run.parts
    ]  # fmt: skip
    memory = max(planned.memory for planned in plans)
    sent = max(run.epochs * (planned.sent + planned.sent_in_evaluation) for planned in plans)
    found = run.peak_memory or 0
    line = (
        f"| {run.dataset['nodes']:,} | {run.dataset['edges']:,} | {width} | {run.parts[0]['halo']:,} | "
        f"{found / 1e9:.2f} GB | {memory / 1e9:.2f} GB | {100 * (memory / found - 1):+.0f} % | "
        f"{(run.sent or 0) / 1e9:.4f} GB | {sent / 1e9:.4f} GB |"
    )
    return line, memory / found


def table_of_plans() -> list[str]:
    """Per rank, with nodes dealt out at random (the most halo there can be) and with a tenth of that."""
    head = ["graph", "ranks", "halo", "memory, store", "memory, recompute", "sent a step", "part on disk"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for name, (nodes, edges, features, classes) in GRAPHS.items():
        both = 2 * edges + nodes  # reverse edges and self-loops
        layers = [Layer(features, 256, 1, 3), Layer(256, 256, 1, 3), Layer(256, classes, 1, 3)]
        for ranks in (8, 16, 32, 64, 128):
            for share, word in ((1.0, "random"), (0.1, "a tenth of it")):
                halo = share * random_halo(nodes, both, ranks)
                sizes = {"nodes": nodes / ranks, "edges": both / ranks, "features": features, "halo": halo}
                store, again = plan(layers, **sizes), plan(layers, **sizes, memory="recompute")
                lines.append(
                    f"| {name} | {ranks} | {word}: {halo / 1e6:.0f} M | {store.memory / 1e9:.0f} GB | "
                    f"{again.memory / 1e9:.0f} GB | {store.sent / 1e9:.0f} GB | {store.state / 1e9:.0f} GB |"
                )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="20000,40000,80000")
    parser.add_argument("--widths", default="64,128", help="channels a head")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--plan", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    words = " ".join(sys.argv[1:])
    title = "Plans for larger graphs" if options.plan else "Memory and traffic of a rank against the formula"
    lines = [f"# {title}", "", f"Written by `benchmarks/distributed_memory.py {words}`; {datetime.date.today()}.", ""]
    if options.plan:
        lines += table_of_plans()
    else:
        sizes = [int(size) for size in options.sizes.split(",")]
        widths = [int(width) for width in options.widths.split(",")]
        head = "| nodes | edges | width a head | halo | memory | formula | | sent | formula |"
        lines += [head, "|" + "---|" * 9]
        with tempfile.TemporaryDirectory() as work:
            measured(sizes[0], min(widths) // 2, options.ranks, Path(work))  # compiles, which takes memory of its own
            for size in sizes:
                for width in widths:
                    lines.append(rows(measured(size, width, options.ranks, Path(work)), width)[0])
                    sys.stderr.write(lines[-1] + "\n")
        constants = ("BASE", "ROWS", "PEAK", "EDGE_ROWS", "INDEX_EDGE", "INDEX_NODE")
        lines += ["", "Constants: " + ", ".join(f"{name} {getattr(formula, name):g}" for name in constants) + "."]
    page = "\n".join([*lines, ""])
    sys.stdout.write(page)
    if options.out is not None:
        options.out.write_text(page)


if __name__ == "__main__":
    main()
