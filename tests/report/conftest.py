from __future__ import annotations

from pathlib import Path

import pytest

from agdn.report.writing import write_report
from report_pages import Page, large_answers, report_page, trained, write_large_runs

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
