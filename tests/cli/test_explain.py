"""``agdn explain`` from the outside: ids, pages, JSON and what can be wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from agdn.cli import cli
from agdn.experiments.experiment import Experiment
from report_pages import Page, stored, stored_multilabel, stored_numbers
from small_runs import import_small, small

ATTACK = "</script><script>alert(1)</script>"


def agdn(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


def trained(folder: Path, *changes: str) -> Path:
    Experiment(small(*changes), 0, folder / "run").run()
    return folder / "run"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("small"))


def test_nodes_have_the_users_ids(tmp_path: Path) -> None:
    run = trained(tmp_path, f"data.name={import_small(tmp_path)}")
    told = json.loads(agdn("explain", run, "--node", "n7", "--out", tmp_path / "e.html", "--json").stdout)
    (each,) = told["explanations"]
    assert told["method"] == "walk"
    assert each["node"] == each["nodes"][0]["id"] == "n7"
    assert each["label"] == "odd"
    assert {part["id"] for part in each["nodes"]} <= {f"n{row}" for row in range(60)}
    ways = {(edge["from"], edge["to"]) for edge in each["edges"]}
    assert ways & {("n5", "n7"), ("n9", "n7")}
    assert sum(abs(part["own"]) for part in each["nodes"]) == pytest.approx(1, abs=0.05)
    assert sum(hop["for"] - hop["against"] for hop in each["hops"]) >= 1 - 1e-6
    everyone = json.loads(
        agdn("explain", run, "--node", "n7", "--out", tmp_path / "e.html", "--json", "--top", 60).stdout
    )
    own = sum(part["own"] for part in everyone["explanations"][0]["nodes"])
    assert sum(hop["for"] + hop["against"] for hop in each["hops"]) == pytest.approx(own, abs=1e-4)
    command = ("explain", run, "--node", "n7", "--out", tmp_path / "e.html", "--json", "--class")
    others, pages = [], []
    for name in ("odd", "even"):
        others.append(agdn(*command, name).stdout)
        pages.append((tmp_path / "e.html").read_text())
    said = told["explanations"][0]["answer"]
    assert [f"Predicted: {said}, with" in page for page in pages] == [said == "odd", said == "even"]
    assert [f". Predicted: {said} (" in page for page in pages] == [said != "odd", said != "even"]
    checks = [check for other in others for check in json.loads(other)["explanations"][0]["without"]]
    assert checks[0]["count"][0] == 1, "what speaks against one class speaks for the other"
    assert Page((tmp_path / "e.html").read_text()).sections["node-0"]


@pytest.mark.parametrize(
    "model",
    [
        "{name: AGDN, hidden_channels: 4, num_layers: 1, hops: 2, weighting: HC}",
        "{name: AGDN, hidden_channels: 4, num_layers: 2, hops: 2, weighting: PPR, transition: sym}",
        "{name: GAT, hidden_channels: 4, heads: 2}",
        "{name: GCN, hidden_channels: 4}",
        "{name: APPNP, hidden_channels: 4}",
    ],
)
def test_models_and_methods(model: str, tmp_path: Path) -> None:
    run = trained(tmp_path, f"model={model}", "training.epochs=2")
    options = ("--node", "3", "--draws", "1", "--steps", "4", "--out", tmp_path / "e.html")
    first = agdn("explain", run, *options)
    assert ("by gradients" if "APPNP" in model else "by walk") in first.stdout
    assert "node 3: " in first.stdout
    assert "random, as near" in first.stdout
    again = agdn("explain", run, *options, "--method", "gradients")
    assert "by gradients" in again.stdout


@pytest.mark.parametrize("kind", ["multilabel", "numbers"])
def test_tasks_and_numbers(kind: str, tmp_path: Path) -> None:
    store = {"multilabel": stored_multilabel, "numbers": stored_numbers}[kind]
    run = trained(tmp_path, f"data.name={store(tmp_path / 'data')}")
    answer = ("--class", "threes") if kind == "multilabel" else ()
    out = ("--draws", "1", "--out", tmp_path / "e.html", "--json", "--top", "120")
    told = json.loads(agdn("explain", run, "--node", "3", *answer, *out).stdout)["explanations"][0]
    if answer:
        assert told["answer"] in ("threes: yes", "threes: no")
        assert told["score"] > 0, "the answer that is explained is the model's own"
        assert told["value"] == pytest.approx(1 / (1 + math.exp(-told["score"])), rel=1e-5)
    else:
        assert told["score"] == pytest.approx(float(told["answer"]), rel=1e-3)
        assert told["score"] == pytest.approx(told["value"], rel=1e-5)
    assert sum(abs(part["own"]) for part in told["nodes"]) == pytest.approx(1, abs=1e-4)


def test_what_comes_after_the_model_is_told(tmp_path: Path) -> None:
    run = trained(tmp_path, "task.correct_and_smooth={}")
    out = ("--node", "3", "--draws", "0", "--out", tmp_path / "e.html")
    assert json.loads(agdn("explain", run, *out, "--json").stdout)["corrected_and_smoothed"] is True
    assert "corrected and smoothed afterwards; the model's own are explained" in agdn("explain", run, *out).stdout
    assert "corrected and smoothed afterwards" in (tmp_path / "e.html").read_text()


def test_names_are_text_and_nothing_is_fetched(tmp_path: Path) -> None:
    ids = np.array([f"<i>{row}{{{{data}}}}" for row in range(60)])
    data = stored(tmp_path / "data", class_names=(ATTACK, "'\"><img src=x>"), node_ids=ids)
    run = trained(tmp_path, f"data.name={data}")
    agdn("explain", run, "--node", "<i>4{{data}}", "--out", tmp_path / "e.html", "--draws", "1")
    page = Page((tmp_path / "e.html").read_text())
    assert page.count("script") == 2
    assert not {"img", "i"} & {name for name, _ in page.elements}
    assert "<i>4{{data}}" in page.sections["node-0"]
    assert not any("style" in attributes for _, attributes in page.elements)
    links = [attributes[key] for _, attributes in page.elements for key in ("src", "href") if key in attributes]
    assert all(str(link).startswith("#") for link in links)


def test_the_page_has_a_picture_and_tables(run: Path, tmp_path: Path) -> None:
    agdn("explain", run, "--node", "3", "--node", "5", "--out", tmp_path / "e.html", "--draws", "1", "--top", "4")
    page = Page((tmp_path / "e.html").read_text())
    assert list(page.sections) == ["node-0", "node-1"]
    assert len(page.tables["Nodes that handed on most"]) == 1 + 1 + 4
    flows = [attributes for _, attributes in page.elements if attributes.get("class") == "flow"]
    assert flows
    assert all(float(str(attributes["stroke-width"])) > 0 for attributes in flows)
    assert set(page.data["curves"]) == {f"without-{node}-{kind}" for node in (0, 1) for kind in ("nodes", "edges")}
    first = (tmp_path / "e.html").read_bytes()
    agdn("explain", run, "--node", "3", "--node", "5", "--out", tmp_path / "e.html", "--draws", "1", "--top", "4")
    assert (tmp_path / "e.html").read_bytes() == first


def test_what_can_be_wrong_is_one_sentence(run: Path, tmp_path: Path) -> None:
    def wrong(*arguments: str | Path) -> str:
        with pytest.raises(ValueError) as caught:
            agdn("explain", *arguments)
        return str(caught.value)

    out = ("--out", tmp_path / "e.html")
    assert "csbm has no node 'x'; ids look like '0'" in wrong(run, "--node", "x", *out)
    assert "unknown class 'x'" in wrong(run, "--node", "1", "--class", "x", *out)
    assert "nowhere" in wrong(tmp_path / "nowhere", "--node", "1", *out)
    (tmp_path / "mine.html").write_text("mine")
    assert "is there already and no explanation" in wrong(run, "--node", "1", "--out", tmp_path / "mine.html")
    other = trained(tmp_path, "model={name: APPNP, hidden_channels: 4}", "training.epochs=1")
    assert "for APPNP use --method gradients" in wrong(other, "--node", "1", "--method", "walk", *out)


def test_links_are_not_explained(tmp_path: Path) -> None:
    changes = ("data.split={name: edges, metric: hits@20}", "link.embedding_channels=4", "training.epochs=1")
    run = trained(tmp_path, *changes)
    with pytest.raises(ValueError, match="predicts links; agdn explain is for"):
        agdn("explain", run, "--node", "1", "--out", tmp_path / "e.html")
