"""Every block of every tutorial runs, with less data and fewer epochs than a reader would take."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agdn.nn import WEIGHTINGS
from markdown_pages import ROOT, run_page
from ogb_folders import write_arxiv

TUTORIALS = ROOT / "docs" / "tutorials"
QUICK = "--seeds 0 --set training.epochs=2"
TINY = f"{QUICK} --set model.hidden_channels=2"


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AGDN_DATA", raising=False)
    monkeypatch.setenv("AGDN_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def _tables_restored(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The entry and the module that a tutorial adds do not outlive it."""
    before = dict(WEIGHTINGS)
    yield
    sys.modules.pop("fading", None)
    WEIGHTINGS.clear()
    WEIGHTINGS.update(before)


def test_every_tutorial_is_run_here() -> None:
    named = {"own-tables.md", "for-pyg-users.md", "for-ogb-users.md", "own-hop-weighting.md"}
    assert {page.name for page in TUTORIALS.glob("*.md")} == named


def test_own_tables(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    smaller = {
        "make_shop.py tables": "make_shop.py tables --customers 150",
        "make_shop.py wrong": "make_shop.py wrong --customers 50",
        "--seeds 0-2": QUICK,
    }
    run_page(TUTORIALS / "own-tables.md", monkeypatch, smaller)
    with Path("predictions.csv").open() as opened:
        rows = list(csv.DictReader(opened))
    assert len(rows) == 150
    assert {row["prediction"] for row in rows} <= {"business", "family", "pensioner", "student"}
    assert Path("shop.html").read_text().startswith("<!doctype html>")
    said = capsys.readouterr()
    assert "row 22 names the node 'C-99999', which the node table lacks; add it there" in said.err
    assert "nodes\tjoined\tdate\t1" in said.out


def test_for_pyg_users(monkeypatch: pytest.MonkeyPatch) -> None:
    names = run_page(TUTORIALS / "for-pyg-users.md", monkeypatch, {"--seeds 0-2": QUICK})
    assert names["accuracy"] > 0.7  # of four classes
    assert Path("report.html").exists()


def test_for_ogb_users(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    write_arxiv(Path("dataset/ogbn_arxiv"))
    small_model = "--set model.memory=recompute --set model.hidden_channels=2 --set training.epochs=2"
    smaller = {
        "--seeds 0-9": TINY,
        "seeds=10": 'seeds=1, changes={"training.epochs": 2, "model.hidden_channels": 2}',
        "--set model.memory=recompute": small_model,
        "wide.yaml --data": f"wide.yaml {TINY} --data",
        "--trials 20": "--trials 1 --finalists 0 --seeds 100 --set training.epochs=2 --set model.hidden_channels=2",
    }
    run_page(TUTORIALS / "for-ogb-users.md", monkeypatch, smaller)
    assert "73.41 ± 0.25" in capsys.readouterr().out
    assert Path("arxiv.html").exists()


@pytest.mark.usefixtures("_tables_restored")
def test_own_hop_weighting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(".")
    smaller = {"--seeds 0-2": QUICK, "seeds=1,": 'seeds=1, changes={"training.epochs": 2},'}
    names = run_page(TUTORIALS / "own-hop-weighting.md", monkeypatch, smaller)
    assert names["weights"].hops.shape == (1, 2, 5, 1)
    assert names["weights"].hops.sum(2).allclose(names["weights"].hops.new_ones(1))
    assert names["model"].convs[1].weighting.logit.grad.abs().sum() > 0
    assert names["result"].runs[0].epochs == 2
