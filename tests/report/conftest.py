from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from agdn.data.dataset import Dataset, EdgeSplit
from agdn.experiments.checking import checked
from agdn.experiments.overrides import with_overrides
from agdn.experiments.result import Result
from agdn.experiments.run import run_all
from agdn.graph import Graph
from agdn.report.gather.link_answers import LinkAnswers
from agdn.report.writing import write_report
from agdn.tasks.link import LinkTask
from report_pages import Page, large_answers, report_page, trained, write_large_runs

LINKS: dict[str, Any] = {
    "name": "links",
    "data": {"name": "csbm", "options": {"num_nodes": 120}, "split": {"name": "edges", "metric": "hits@20"}},
    "model": {"name": "AGDN", "hidden_channels": 4, "num_layers": 2, "hops": 2},
    "link": {"embedding_channels": 4},
    "training": {"epochs": 3},
    "threads": 1,
}
HEURISTIC = ("name=common", "model={name: CommonNeighbours}", "link.embedding_channels=null", "training.epochs=0")
PUBLISHED = "published={metric: accuracy, test: 61.5, test_std: 0.25, valid: 60, seeds: 1-10, source: A paper}"


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two recipes on two seeds: ``small``, with a published figure, and ``gcn``."""
    out = tmp_path_factory.mktemp("runs")
    trained(out, PUBLISHED, seeds=2)
    trained(out, "name=gcn", "model={name: GCN, hidden_channels: 4}", seeds=2)
    return out


@pytest.fixture(scope="session")
def compared(runs: Path) -> Page:
    return report_page(runs / "page.html", runs / "small", runs / "gcn")


@pytest.fixture(scope="session")
def single(runs: Path) -> Page:
    return report_page(runs / "single.html", runs / "small")


@pytest.fixture(scope="session")
def large_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten recipes of ogbn-arxiv's size, 2,000 epochs each."""
    folder = tmp_path_factory.mktemp("large")
    runs = write_large_runs(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agdn.report.gather.findings.answers", large_answers())
        write_report(runs, folder / "page.html")
    return folder / "page.html"


def train_links(out: Path, *changes: str, seeds: int = 1, data: Path | None = None) -> Result:
    """``data``: a stored data set that is split already."""
    content = LINKS if data is None else {**LINKS, "data": {"name": str(data)}}
    config = checked(with_overrides(content, changes), "links")
    return run_all([config], seeds=seeds, out=out, jobs=1, progress=False)[0]


@pytest.fixture(scope="session")
def trained_links() -> Callable[..., Result]:
    """Trains a small configuration of links, with changes."""
    return train_links


@pytest.fixture(scope="session")
def link_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``links``, an AGDN on two seeds, ``common``, a heuristic, and ``small``, which predicts classes of nodes."""
    out = tmp_path_factory.mktemp("links")
    train_links(out, seeds=2)
    train_links(out, *HEURISTIC, seeds=2)
    trained(out)
    return out


@pytest.fixture(scope="session")
def link_page(link_runs: Path) -> Page:
    return report_page(link_runs / "links.html", link_runs / "links")


@pytest.fixture(scope="session")
def mixed_page(link_runs: Path) -> Page:
    return report_page(link_runs / "mixed.html", *(link_runs / name for name in ("links", "common", "small")))


@pytest.fixture(scope="session")
def asked() -> Callable[..., LinkAnswers]:
    """What a model might say that gives the test edges (0, 1), (2, 3), ... and other pairs these scores."""

    def answers(
        positive: list[float], negative: list[float], metric: str, *, own: int | None = None, edges: Any = ((8,), (9,))
    ) -> LinkAnswers:
        count = 2 * max(len(positive), 5)
        tested = torch.arange(2 * len(positive)).view(-1, 2).t()
        others = torch.stack([torch.zeros(len(negative), dtype=torch.int64), torch.arange(len(negative)) + 2])
        nodes = max(count, len(negative) + 2)
        graph = Graph(torch.tensor(edges), nodes)
        split = EdgeSplit(graph.edge_index, tested, tested, others, others, own)
        dataset = Dataset("by-hand", graph, "link", metric, (split,))
        run = SimpleNamespace(metric=metric, seed=0)
        task = SimpleNamespace(split=split, reciprocal_ranks=lambda *scores: LinkTask.reciprocal_ranks(task, *scores))
        stub = SimpleNamespace(run=run, dataset=dataset, task=task)
        return LinkAnswers(cast(Any, stub), torch.tensor(positive), torch.tensor(negative), [])

    return answers
