"""Runs that learnt links: what the page says is what the result files and the models say."""

from __future__ import annotations

import json
import shutil
import statistics
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agdn.data import store
from agdn.experiments.result import Result
from agdn.report.gather.report import gather
from agdn.report.page import page
from report_pages import Page, report_page
from toy_links import linked, with_own_negatives

Train = Callable[..., Result]
SECTIONS = {"result", "curves", "separation", "hits", "hops", "top-links", "cost", "configuration"}
DEGREES = "Test edges by the smaller degree of their ends: above the 20th best negative in %"
TABLES = (
    "The likeliest new links",
    "The worst false alarms: the likeliest test negatives",
    "The worst misses: the least likely test edges",
)


def scores(folder: Path, part: str, metric: str) -> list[float]:
    """Straight from the files, by no code of ours."""
    files = sorted(folder.glob("seed-*/result.json"))
    return [json.loads(file.read_text())["scores"][part][metric] for file in files]


def column(table: list[list[str]], name: str) -> list[str]:
    return [row[table[0].index(name)] for row in table[1:]]


def test_every_section_is_there(link_page: Page) -> None:
    assert set(link_page.sections) == SECTIONS
    assert "could not be computed" not in link_page.text


def test_words_are_about_edges(link_runs: Path, link_page: Page) -> None:
    assert "on test edges of csbm, over 2 seeds." in link_page.sections["result"]
    assert "Mean and standard deviation over the seeds, at the best epoch on validation edges" in link_page.tables
    assert "validation edges" in link_page.sections["curves"]
    assert not any("test nodes" in text or "validation nodes" in text for text in link_page.sections.values())
    found = [100 * score for score in scores(link_runs / "links", "test", "hits@20")]
    assert f"{statistics.mean(found):.2f} ± {statistics.stdev(found):.2f} % hits@20" in link_page.sections["result"]


def test_curves_are_those_of_the_logs(link_runs: Path, link_page: Page) -> None:
    logs = [(link_runs / "links" / f"seed-{seed}" / "metrics.jsonl").read_text().splitlines() for seed in (0, 1)]
    valid = [[100 * json.loads(row)["valid"]["hits@20"] for row in log] for log in logs]
    line = next(line for line in link_page.data["curves"]["score"]["lines"] if line["name"] == "validation edges")
    assert line["mean"] == pytest.approx(np.mean(valid, axis=0).tolist(), rel=1e-3)


def test_the_hits_curve_goes_through_the_scores(link_runs: Path, link_page: Page) -> None:
    (line,) = link_page.data["curves"]["hits-all"]["lines"]
    told = dict(zip(line["x"], zip(line["mean"], line["low"], line["high"], strict=True), strict=True))
    for k in (20, 50):
        found = [100 * score for score in scores(link_runs / "links", "test", f"hits@{k}")]
        assert told[k] == pytest.approx((statistics.mean(found), min(found), max(found)), rel=1e-3)
    assert line["x"][0] == 1
    assert line["x"][-1] == 61  # as many negatives as test edges


def test_scores_of_both_kinds_sum_to_all(link_page: Page) -> None:
    chart = link_page.data["curves"]["scores-0"]
    assert [line["name"] for line in chart["lines"]] == ["test edges", "test negatives"]
    for line in chart["lines"]:
        assert sum(line["mean"]) == pytest.approx(100, abs=0.1)
    assert "20th best negative" in link_page.sections["separation"]


def test_degree_groups_hold_every_edge_and_their_mean_is_the_score(link_runs: Path, tmp_path: Path) -> None:
    told = report_page(tmp_path / "page.html", link_runs / "links" / "seed-0").tables[DEGREES]
    counts = [int(count) for count in column(told, "test edges")]
    found = [float(share) for share in column(told, "links")]
    assert sum(counts) == 61
    mean = sum(count * share for count, share in zip(counts, found, strict=True)) / 61
    assert mean == pytest.approx(100 * scores(link_runs / "links", "test", "hits@20")[0], abs=0.1)
    assert 4 <= len(counts) <= 8


def test_links_to_look_at(link_page: Page) -> None:
    for caption in TABLES:
        assert link_page.tables[caption][0] == ["node", "other node", "score", "degrees", "common neighbours"]
        assert len(link_page.tables[caption]) == 21
    assert "every pair that is not linked" in link_page.sections["top-links"]


def test_hop_weights_of_the_encoder(link_page: Page) -> None:
    for row in link_page.data["matrices"]["degree-0-1"]["cells"]:
        assert sum(map(float, row)) == pytest.approx(1, abs=0.02)


def test_runs_of_nodes_and_of_links_on_one_page(mixed_page: Page, link_runs: Path) -> None:
    assert set(mixed_page.sections) == SECTIONS | {"predictions", "calibration", "mistakes", "graph"}
    main = "Mean and standard deviation over the seeds, at the best epoch on validation"
    assert column(mixed_page.tables[f"{main} edges"], "recipe") == ["links", "common"]
    assert column(mixed_page.tables[f"{main} nodes"], "recipe") == ["small"]
    curves = mixed_page.data["curves"]
    assert [line["name"] for line in curves["score-0-valid"]["lines"]] == ["links"]
    assert [line["name"] for line in curves["score-1-valid"]["lines"]] == ["small"]
    assert [line["name"] for line in curves["hits-all"]["lines"]] == ["links", "common"]
    assert {"scores-0", "scores-1"} <= set(curves)
    assert "scores-2" not in curves
    assert column(mixed_page.tables[DEGREES], "common")
    first, second = (scores(link_runs / name, "test", "hits@20") for name in ("links", "common"))
    apart = statistics.mean(100 * (mine - other) for mine, other in zip(first, second, strict=True))
    assert column(mixed_page.tables[f"{main} edges"], "first minus this")[1].startswith(f"{apart:.2f} ± ")


def test_what_is_read_off_the_graph_has_no_curves(link_runs: Path, tmp_path: Path) -> None:
    found = report_page(tmp_path / "page.html", link_runs / "common")
    assert set(found.sections) == SECTIONS - {"curves", "hops"}
    for caption in TABLES:
        table = found.tables[caption]
        assert [float(score) for score in column(table, "score")] == [
            float(common) for common in column(table, "common neighbours")
        ]
    places = found.data["curves"]["scores-0"]["lines"][0]["x"]
    assert places == list(range(len(places)))


def test_negatives_of_its_own(trained_links: Train, tmp_path: Path) -> None:
    store.save(with_own_negatives(linked(), 5), tmp_path / "own", key="")
    result = trained_links(tmp_path, "link.embedding_channels=null", data=tmp_path / "own")
    found = report_page(tmp_path / "page.html", tmp_path / "links")
    (line,) = found.data["curves"]["hits-own"]["lines"]
    told = dict(zip(line["x"], line["mean"], strict=True))
    assert list(told) == [1, 2, 3, 4, 5]
    for k in (1, 3):
        assert told[k] == pytest.approx(100 * result.runs[0].scores["test"][f"hits@{k}"], rel=1e-3)
    table = found.tables["Test edges by the smaller degree of their ends: mean reciprocal rank in %"]
    counts, ranks = ([float(cell) for cell in column(table, name)] for name in ("test edges", "links"))
    assert np.average(ranks, weights=counts) == pytest.approx(100 * result.mean(), abs=0.1)
    assert "best negative" not in found.sections["separation"]
    assert "among the first K" in found.sections["hits"]


def test_another_loss_than_that_of_validation_is_named(trained_links: Train, tmp_path: Path) -> None:
    trained_links(tmp_path, "link.loss=log_rank")
    found = report_page(tmp_path / "page.html", tmp_path / "links")
    assert "validation edges is the cross-entropy; trained is links on log_rank." in found.sections["curves"]


def test_ids_are_shown_as_they_are(trained_links: Train, tmp_path: Path) -> None:
    ids = np.array([f"<i>{row}</i>" for row in range(40)])
    store.save(replace(linked(), node_ids=ids), tmp_path / "named", key="")
    trained_links(tmp_path, data=tmp_path / "named")
    found = report_page(tmp_path / "page.html", tmp_path / "links")
    assert found.count("i") == 0
    assert set(column(found.tables[TABLES[0]], "node")) <= set(ids)


def test_data_that_changed_are_noticed(trained_links: Train, tmp_path: Path) -> None:
    store.save(linked(), tmp_path / "data", key="")
    trained_links(tmp_path, "training.epochs=30", data=tmp_path / "data")
    shutil.rmtree(tmp_path / "data")
    changed = linked(seed=5)
    store.save(replace(changed, x=-changed.x), tmp_path / "data", key="")  # type: ignore[operator]
    found = report_page(tmp_path / "page.html", tmp_path / "links")
    assert "toy-links is no longer what the run was trained on: test rocauc is" in found.text
    assert set(found.sections) == {"result", "curves", "cost", "configuration"}
    shutil.rmtree(tmp_path / "data")
    found = report_page(tmp_path / "page.html", tmp_path / "links")
    assert f"{tmp_path / 'data'} is neither a folder nor the name of a data set" in found.text


def test_surroundings_of_nodes_are_not_for_links(link_runs: Path) -> None:
    with pytest.raises(ValueError, match="these runs predict links; --node shows"):
        gather([link_runs / "links"], nodes=["3"])


def test_the_same_runs_give_the_same_page(link_runs: Path) -> None:
    first, second = (page(gather([link_runs / "links", link_runs / "common"])) for _ in range(2))
    assert first == second


def test_charts_and_tables_have_names(mixed_page: Page) -> None:
    for name, attributes in mixed_page.elements:
        if name == "svg":
            assert attributes["role"] in ("img", "group")
            assert attributes["aria-label"]
    assert mixed_page.count("table") == mixed_page.count("caption")
    ids = [attributes["id"] for _, attributes in mixed_page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
