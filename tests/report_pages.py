"""Runs to report on, and pages as a reader finds them."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import torch

from agdn.data import store
from agdn.data.dataset import Dataset, NodeSplit
from agdn.experiments.prediction import LayerHops
from agdn.experiments.result import Result, Run
from agdn.experiments.run import run_all
from agdn.experiments.run_folder import claim
from agdn.graph import Graph
from agdn.report.gather.answers import Answers
from agdn.report.writing import write_report
from agdn.tasks.output import NodeOutput
from graphs import random_edges, symmetric
from small_runs import small

VOID = {"meta", "link", "br", "img", "input"}
ARXIV_NODES = 169_343
SPLIT = NodeSplit(torch.arange(0, 20), torch.arange(20, 40), torch.arange(40, 60))


class Page(HTMLParser):
    """Elements, tables by their caption, the text of each section, and the data of the script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.sections: dict[str, str] = {}
        self.scripts: list[str] = []
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self._rows: list[list[str]] = []
        self._caption = ""
        self.feed(text)

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        element = (name, dict(attributes))
        self.elements.append(element)
        if name in VOID:
            return
        self._open.append(element)
        if name == "table":
            self._rows, self._caption = [], ""
        elif name == "tr":
            self._rows.append([])
        elif name in ("th", "td"):
            self._rows[-1].append("")
        elif name == "script":
            self.scripts.append("")

    def handle_endtag(self, name: str) -> None:
        closed, _ = self._open.pop()
        assert closed == name, f"<{closed}> is closed by </{name}>"
        if name == "table":
            self.tables[self._caption] = self._rows

    def handle_data(self, data: str) -> None:
        if not self._open:
            return
        name = self._open[-1][0]
        if any(opened == "caption" for opened, _ in self._open):
            self._caption += data
        elif name in ("th", "td"):
            self._rows[-1][-1] += data
        elif name == "script":
            self.scripts[-1] += data
        for opened, attributes in self._open:
            if opened == "section":
                key = str(attributes["id"])
                self.sections[key] = self.sections.get(key, "") + data

    def count(self, name: str) -> int:
        return sum(element == name for element, _ in self.elements)

    @property
    def data(self) -> dict[str, dict[str, Any]]:
        content: dict[str, dict[str, Any]] = json.loads(self.scripts[0])
        return content


def report_page(out: Path, *folders: Path, nodes: tuple[str, ...] = ()) -> Page:
    write_report(folders, out, nodes=nodes)
    return Page(out.read_text(encoding="utf-8"))


def trained(out: Path, *changes: str, seeds: int = 1) -> Result:
    return run_all([small(*changes)], seeds=seeds, out=out, jobs=1, progress=False)[0]


def stored(folder: Path, **changes: Any) -> Path:
    """A dataset of sixty nodes; by default two classes that a feature tells."""
    y = torch.arange(60) % 2
    content: dict[str, Any] = {
        "name": folder.name,
        "graph": Graph(symmetric(random_edges(60, 120)), 60),
        "target": "class",
        "metric": "accuracy",
        "splits": (SPLIT,),
        "x": torch.stack([y, 1 - y], dim=1) + torch.randn(60, 2),
        "y": y,
        **changes,
    }
    store.save(Dataset(**content), folder, key="")
    return folder


def stored_multilabel(folder: Path) -> Path:
    y = torch.stack([torch.arange(60) % 2, torch.arange(60) % 3 == 0, torch.zeros(60)], dim=1).float()
    y[45, 0] = float("nan")
    return stored(folder, target="multilabel", metric="rocauc", y=y, class_names=("even", "threes", "never"))


def stored_numbers(folder: Path) -> Path:
    return stored(folder, target="numeric", metric="mae", y=torch.arange(60).float() / 7)


def write_large_runs(out: Path, *, recipes: int = 10, epochs: int = 2000) -> list[Path]:
    """Logs and results of runs of 2,000 epochs, without a model."""
    folders = []
    for index in range(recipes):
        config = small(f"name=large-{index}", "data.name=ogbn-arxiv")
        folder = out / config.name / "seed-0"
        claim(folder, config)
        score = {part: {"accuracy": 0.7 + index / 1000, "macro_f1": 0.5} for part in ("train", "valid", "test")}
        rows = [
            {"epoch": epoch, "loss": 3 / epoch + index, "valid_loss": 4 / epoch + index, "seconds": 1.0, **score}
            for epoch in range(1, epochs + 1)
        ]
        (folder / "metrics.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        run = Run(
            folder=folder, name=config.name, seed=0, metric="accuracy", higher_is_better=True, scores=score,
            best_epoch=1500, epochs=epochs, stopped_early=False, seconds=9000.0, parameters=1_513_294,
            dataset={"name": "ogbn-arxiv", "nodes": ARXIV_NODES, "edges": 2_484_941}, output={}, versions={}, threads=2,
        )  # fmt: skip
        (folder / "result.json").write_text(run.model_dump_json())
        folders.append(folder)
    return folders


def large_answers() -> Callable[[Run], Answers]:
    """What models of ogbn-arxiv's size might say."""
    graph = Graph(symmetric(random_edges(ARXIV_NODES, 1_157_799)), ARXIV_NODES)
    y = torch.randint(40, (ARXIV_NODES,))
    names = tuple(f"arxiv cs {index:02}: a subject area" for index in range(40))
    split = NodeSplit(*torch.randperm(ARXIV_NODES).split([90_941, 29_799, 48_603]))
    dataset = Dataset("ogbn-arxiv", graph, "class", "accuracy", (split,), y=y, class_names=names)
    probabilities = torch.randn(ARXIV_NODES, 40).mul(3).softmax(1)
    hops = [LayerHops(layer, 0, torch.rand(ARXIV_NODES, 3, 4, 1)) for layer in (1, 2, 3)]
    output = NodeOutput("class", names)

    def answers(run: Run) -> Answers:
        return Answers(run, dataset, output, probabilities.argmax(1), probabilities, hops)

    return answers
