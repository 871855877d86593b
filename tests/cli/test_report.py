"""``agdn report`` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from agdn.cli import cli
from report_pages import trained


def report(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["report", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("runs")).runs[0].folder


def test_it_says_where_the_page_is(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert report(run).output.startswith("report.html: 1 run of small, ")
    assert Path("report.html").read_text().startswith("<!doctype html>")
    assert "elsewhere.html: 1 run" in report(run, "--out", "elsewhere.html").output


def test_json_has_the_results_too(run: Path, tmp_path: Path) -> None:
    told = json.loads(report(run, "--out", tmp_path / "page.html", "--json").stdout)
    assert told["file"] == str(tmp_path / "page.html")
    assert told["bytes"] == (tmp_path / "page.html").stat().st_size
    assert told["missing"] == []
    assert told["recipes"][0]["runs"][0]["scores"] == json.loads((run / "result.json").read_text())["scores"]


def test_an_older_report_is_replaced_and_nothing_else(run: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    report(run, "--out", page)
    first = page.read_bytes()
    page.write_bytes(first + b"<!-- older -->")
    report(run, "--out", page)
    assert page.read_bytes() == first
    page.write_text("<h1>my own</h1>")
    with pytest.raises(ValueError, match=r"page\.html is there already and no report; give another --out"):
        report(run, "--out", page)
    assert page.read_text() == "<h1>my own</h1>"


@pytest.mark.parametrize(
    ("out", "sentence"), [("", "is a folder; give --out a file"), ("nowhere/page.html", "nowhere does not exist")]
)
def test_a_place_that_cannot_be_written(run: Path, tmp_path: Path, out: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        report(run, "--out", tmp_path / out)


def test_a_node_is_shown_on_demand(run: Path, tmp_path: Path) -> None:
    """Also beside a graph that is small enough to be shown whole."""
    page = tmp_path / "page.html"
    report(run, "--node", "17", "--node", "3", "--out", page)
    for piece in ("the whole graph", "around node 17", "around node 3"):
        assert piece in page.read_text()
    with pytest.raises(ValueError, match="csbm has no node 'nobody'; ids look like '0'"):
        report(run, "--node", "nobody", "--out", page)
