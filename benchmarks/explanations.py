"""Whether explanations hold: a planted path is found again, and predictions fall without what is named.

    python benchmarks/explanations.py --runs runs/explanations --out docs/results/explanations.md

The long-range set says where the answer lies: eight steps upstream on a ring. Two leaves feed random signs into every
ring node, and the network hears twelve steps far, so that the eight nodes of the path stand among some forty. On Cora
nothing is planted; there nodes and edges are taken out. Runs that are finished in ``--runs`` are not trained again.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.stats import wilcoxon

from agdn.experiments.load import TrainedModel, load_nodes
from agdn.experiments.recipes import read_recipe
from agdn.experiments.run import run_all
from agdn.experiments.tables import as_markdown
from agdn.explain.attribution import Attribution
from agdn.explain.deletion import counted, deletion
from agdn.explain.gradients import gradients
from agdn.explain.held_network import held_network
from agdn.explain.question import Question, question
from agdn.explain.walk import walk

DISTANCE, RING = 8, 24
PLANTED = ("data.options={branches: 2}", "model.hops=6", "name=long-range/agdn-branches")
PATH_HEADER = ("method", "nodes", "nodes in reach", "path in the first 8", "at random", "whole path", "origin first")
FALL_HEADER = ("method", "nodes", "without", "those named", "random, as near", "random, anywhere", "p, as near")


class Subject:
    """A trained run, asked about its nodes."""

    def __init__(self, name: str, changes: tuple[str, ...], options: argparse.Namespace) -> None:
        (result,) = run_all([read_recipe(name, changes)], seeds=[options.seed], out=options.runs, resume=True)
        self.trained: TrainedModel = load_nodes(result.runs[0], "explaining")
        self.model, self.signals = self.trained.model, self.trained.given()
        self.network = held_network(self.model, self.signals)
        self.graph = self.trained.dataset.graph
        self.steps = options.steps

    def right(self, count: int) -> list[int]:
        """Test nodes that are predicted right, drawn at random."""
        test, y = self.trained.task.split.test, self.trained.dataset.y
        assert y is not None
        test = test[self.network.outputs[test].argmax(1) == y[test]]
        rng = np.random.default_rng(0)
        return [int(test[place]) for place in rng.permutation(len(test))[:count]]

    def explained(self, node: int, method: str) -> tuple[Question, Attribution]:
        asked = question(node, self.network.outputs, self.trained.output)
        if method == "walk":
            return asked, walk(self.network, asked)
        return asked, gradients(self.model, self.signals, asked, steps=self.steps)


def path_of(node: int) -> list[int]:
    """The nodes from one step upstream to the one whose sign is the label."""
    ring, place = divmod(node, RING)
    return [ring * RING + (place - step) % RING for step in range(1, DISTANCE + 1)]


def recovered(subject: Subject, method: str, count: int) -> dict[str, float]:
    shares, heard, origins = [], [], []
    for node in subject.right(count):
        _, found = subject.explained(node, method)
        path = path_of(node)
        first = found.ranked_nodes(subject.graph)[:DISTANCE].tolist()
        shares.append(len(set(path) & set(first)) / DISTANCE)
        heard.append(int(((found.distance > 0) & (found.distance <= subject.network.reach)).sum()))
        origins.append(int(found.source.argmax()) == path[-1])
    return {
        "nodes": len(shares),
        "reach": float(np.mean(heard)),
        "recovered": float(np.mean(shares)),
        "chance": float(np.mean([DISTANCE / each for each in heard])),
        "whole": float(np.mean([share == 1 for share in shares])),
        "origin": float(np.mean(origins)),
    }


def falls(subject: Subject, method: str, count: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """How far the probability of the predicted class falls, by what is taken out."""
    found: dict[tuple[str, int], list[tuple[float, float, float]]] = {}
    for node in subject.right(count):
        asked, attribution = subject.explained(node, method)
        for kind in ("nodes", "edges"):
            check = deletion(
                subject.model,
                subject.signals,
                asked,
                attribution,
                kind,  # type: ignore[arg-type]
                counts=options.counts,
                draws=options.draws,
            )
            for place, taken in enumerate(() if check is None else check.counts):
                assert check is not None
                values = (check.named[place], check.as_near[:, place].mean(), check.anywhere[:, place].mean())
                found.setdefault((kind, taken), []).append(tuple(check.whole - value for value in values))  # type: ignore[arg-type]
    rows = []
    for (kind, taken), values in sorted(found.items(), key=lambda item: (item[0][0] != "nodes", item[0][1])):
        named, near, anywhere = np.array(values).T
        differ = named - near
        p = float(wilcoxon(differ, alternative="greater").pvalue) if differ.any() else 1.0
        means = {"named": named.mean(), "as_near": near.mean(), "anywhere": anywhere.mean()}
        rows.append(
            {"kind": kind, "count": taken, "nodes": len(values), "p": p, **{k: float(v) for k, v in means.items()}}
        )
    return rows


def page(
    paths: dict[str, dict[str, float]], fallen: dict[str, list[dict[str, Any]]], options: argparse.Namespace
) -> str:
    path_rows = [
        (
            method,
            f"{each['nodes']:.0f}",
            f"{each['reach']:.0f}",
            f"{100 * each['recovered']:.1f} %",
            f"{100 * each['chance']:.1f} %",
            f"{100 * each['whole']:.0f} %",
            f"{100 * each['origin']:.0f} %",
        )
        for method, each in paths.items()
    ]
    fall_rows = [
        (
            method,
            str(row["nodes"]),
            counted(row["count"], row["kind"]),
            *(f"{100 * row[key]:+.2f}" for key in ("named", "as_near", "anywhere")),
            f"{row['p']:.1e}",
        )
        for method, rows in fallen.items()
        for row in rows
    ]
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("agdn", "torch", "torch_geometric"))
    blocks = [
        "# Explanations that hold",
        f"Written by `benchmarks/explanations.py`; {datetime.date.today().isoformat()}, {versions}, seed "
        f"{options.seed}, {options.draws} random draws a node, {options.steps} points of integrated gradients.",
        "## The planted path",
        "`agdn train long-range/agdn --set 'data.options={branches: 2}' --set model.hops=6`: a node's class is the "
        "sign eight steps upstream; leaves feed random signs into every node on the way, and the network hears "
        "twelve steps. Test nodes that are predicted right. *Path in the first 8*: how many of the eight nodes that "
        "the sign passes, its origin included, are among the eight that handed on most for the answer. *Origin "
        "first*: whose own features gave most is the node where the sign is.",
        as_markdown(PATH_HEADER, path_rows),
        "## Deletion on Cora",
        "`agdn train cora/agdn`. How many points of probability the predicted class loses without the nodes (with "
        "their edges) or edges that spoke most for it, and without as many random ones: at the same distances, or "
        "anywhere in reach. Test nodes that are predicted right. p: Wilcoxon's signed-rank test, one-sided, of "
        "those named against random ones as near. Where a distance has no other nodes or edges, random ones as near "
        "are the same ones, and cannot differ: the more are taken out, the more often.",
        as_markdown(FALL_HEADER, fall_rows),
    ]
    return "\n\n".join(blocks) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, default=Path("runs/explanations"))
    parser.add_argument("--nodes", type=int, default=100, help="explained by walks")
    parser.add_argument("--gradient-nodes", type=int, default=20, help="explained by gradients")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--counts", type=int, nargs="+", default=[1, 2, 5, 10])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    counts = {"walk": options.nodes, "gradients": options.gradient_nodes}
    planted = Subject("long-range/agdn", PLANTED, options)
    paths = {method: recovered(planted, method, count) for method, count in counts.items()}
    sys.stderr.write(f"{json.dumps(paths)}\n")
    cora = Subject("cora/agdn", (), options)
    fallen = {method: falls(cora, method, count, options) for method, count in counts.items()}
    text = page(paths, fallen, options)
    if options.out is not None:
        options.out.write_text(text)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
