"""What the page says is what the result files say."""

from __future__ import annotations

import json
import shutil
import statistics
from pathlib import Path

import pytest
import torch

from agdn.experiments.result import runs_in
from agdn.report.gather.report import gather
from agdn.report.page import page
from report_pages import Page, report_page, stored, stored_multilabel, stored_numbers, trained

MAIN = "Mean and standard deviation over the seeds, at the best epoch on validation nodes"
SECTIONS = {"result", "curves", "predictions", "calibration", "hops", "mistakes", "graph", "cost", "configuration"}


def column(table: list[list[str]], name: str) -> list[str]:
    return [row[table[0].index(name)] for row in table[1:]]


def stored_scores(folder: Path, part: str) -> list[float]:
    """Straight from the files, by no code of ours."""
    files = sorted(folder.glob("seed-*/result.json"))
    return [json.loads(file.read_text())["scores"][part]["accuracy"] for file in files]


def test_every_section_is_there(single: Page, compared: Page) -> None:
    assert set(single.sections) == set(compared.sections) == SECTIONS
    links = {attributes["href"] for name, attributes in single.elements if name == "a"}
    assert links == {f"#{section}" for section in SECTIONS}


def test_scores_are_those_of_the_files(runs: Path, compared: Page) -> None:
    for row, name in enumerate(("small", "gcn")):
        for part in ("valid", "test"):
            found = [100 * score for score in stored_scores(runs / name, part)]
            shown = f"{statistics.mean(found):.2f} ± {statistics.stdev(found):.2f}"
            assert column(compared.tables[MAIN], part)[row] == shown


def test_every_seed_is_a_dot(runs: Path, compared: Page) -> None:
    tips = [
        str(attributes["data-tip"])
        for name, attributes in compared.elements
        if name == "circle" and "data-tip" in attributes
    ]
    for name in ("small", "gcn"):
        first, second = (f"{100 * score:.4g}" for score in stored_scores(runs / name, "test"))
        wanted = {f"seeds 0-1: {first}"} if first == second else {f"seed 0: {first}", f"seed 1: {second}"}
        assert wanted <= set(tips)


def test_ours_stands_beside_the_published_figure(runs: Path, single: Page) -> None:
    table = single.tables["Beside the published figures"]
    assert column(table, "part") == ["valid", "test"]
    assert column(table, "published") == ["60.00", "61.50 ± 0.25"]
    ours = 100 * statistics.mean(stored_scores(runs / "small", "test"))
    assert column(table, "ours minus published")[1] == f"{ours - 61.5:+.2f}"
    assert "Published: 61.50 ± 0.25 %" in single.sections["result"]


def test_differences_are_paired(runs: Path, compared: Page) -> None:
    first, second = (stored_scores(runs / name, "test") for name in ("small", "gcn"))
    apart = [100 * (mine - other) for mine, other in zip(first, second, strict=True)]
    error = statistics.stdev(apart) / len(apart) ** 0.5
    shown = column(compared.tables[MAIN], "first minus this")
    assert shown == ["", f"{statistics.mean(apart):.2f} ± {error:.2f}"]


def test_curves_are_those_of_the_logs(runs: Path, compared: Page) -> None:
    logs = [
        [json.loads(line) for line in (runs / "gcn" / f"seed-{seed}" / "metrics.jsonl").read_text().splitlines()]
        for seed in (0, 1)
    ]
    line = compared.data["curves"]["score-0-valid"]["lines"][1]
    assert line["name"] == "gcn"
    assert line["x"] == [1, 2, 3, 4]
    for place in range(4):
        values = [100 * log[place]["valid"]["accuracy"] for log in logs]
        assert line["mean"][place] == pytest.approx(statistics.mean(values), rel=1e-3)
        assert (line["low"][place], line["high"][place]) == pytest.approx((min(values), max(values)), rel=1e-3)
    losses = [log[0]["loss"] for log in logs]
    assert compared.data["curves"]["loss-train"]["lines"][1]["mean"][0] == pytest.approx(sum(losses) / 2, rel=1e-3)


def test_a_line_is_pale_where_a_seed_has_ended(runs: Path, single: Page, tmp_path: Path) -> None:
    shutil.copytree(runs / "small", tmp_path / "small")
    log = tmp_path / "small" / "seed-1" / "metrics.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:2]))
    page = report_page(tmp_path / "page.html", tmp_path / "small")
    assert page.data["curves"]["loss"]["lines"][0]["seeds"] == [2, 2, 1, 1]
    pale = [
        [attributes for _, attributes in each.elements if attributes.get("class") == "line few"]
        for each in (page, single)
    ]
    assert [len(found) for found in pale] == [5, 0]
    assert str(pale[0][0]["d"]).count("L") == 2


def test_the_confusion_matrix_counts_every_test_node(runs: Path, compared: Page) -> None:
    for index, name in enumerate(("small", "gcn")):
        cells = compared.data["matrices"][f"confusion-{index}"]["cells"]
        counts = [[int(cell.replace(",", "") or 0) for cell in row] for row in cells]
        right = sum(row[place] for place, row in enumerate(counts))
        total = sum(map(sum, counts))
        assert right / total == pytest.approx(statistics.mean(stored_scores(runs / name, "test")))


def test_calibration_tells_the_share_that_is_right(runs: Path, compared: Page) -> None:
    table = compared.tables["Expected calibration error, mean and deviation over the seeds"]
    for row, name in enumerate(("small", "gcn")):
        accuracy = 100 * statistics.mean(stored_scores(runs / name, "test"))
        assert column(table, "right in %")[row] == f"{accuracy:.1f}"


def test_hop_weights_of_nodes_sum_to_one(single: Page) -> None:
    """HA: a softmax over the hops, for every degree."""
    for layer in (1, 2):
        for row in single.data["matrices"][f"degree-0-{layer}"]["cells"]:
            assert sum(map(float, row)) == pytest.approx(1, abs=0.02)
    node = single.data["networks"]["0-0"]["nodes"][0]
    assert [len(layer) for layer in node["hops"]] == [3, 3]
    assert sum(node["hops"][0]) == pytest.approx(1, abs=0.01)


def test_a_model_without_hops_has_no_such_part(runs: Path, tmp_path: Path) -> None:
    page = report_page(tmp_path / "page.html", runs / "gcn")
    assert set(page.sections) == SECTIONS - {"hops"}


def test_channels_that_weigh_hops_are_told_from_nodes(tmp_path: Path) -> None:
    trained(tmp_path, "model.weighting=HC")
    page = report_page(tmp_path / "page.html", tmp_path / "small")
    assert "Every channel weighs its hops" in page.sections["hops"]
    assert not any(key.startswith("degree") for key in page.data["matrices"])


def test_a_small_graph_is_shown_whole(single: Page) -> None:
    assert len(single.data["networks"]["0-0"]["nodes"]) == 120
    buttons = [attributes for _, attributes in single.elements if "data-node" in attributes]
    assert len(buttons) == 120
    assert all(button["aria-label"] for button in buttons)


def test_a_larger_graph_is_shown_around_chosen_nodes(tmp_path: Path) -> None:
    trained(tmp_path, "data.options.num_nodes=400")
    page = report_page(tmp_path / "page.html", tmp_path / "small", nodes=("7", "390"))
    assert [view["nodes"][0]["name"] for view in page.data["networks"].values()] == ["7", "390"]
    with pytest.raises(ValueError, match="has no node 'nobody'"):
        gather([tmp_path / "small"], nodes=["nobody"])


def test_time_and_size(runs: Path, compared: Page) -> None:
    records = runs_in(runs / "small")
    row = compared.tables["Mean over the seeds"][1]
    assert row[1] == f"{records[0].parameters:,}"
    assert row[3].startswith(f"{statistics.mean(run.seconds for run in records):.1f}")
    assert [entry[0] for entry in compared.tables["Every run"][1:]] == [
        f"{name}, seed {seed}" for name in ("small", "gcn") for seed in (0, 1)
    ]


def test_yes_or_no_answers(tmp_path: Path) -> None:
    changes = (f"data.name={stored_multilabel(tmp_path / 'tasks')}",)
    result = trained(tmp_path, *changes, seeds=2)
    page = report_page(tmp_path / "page.html", tmp_path / "small")
    table = page.tables["Area under the ROC curve of every task"]
    assert column(table, "task") == ["even", "threes"]
    areas = [float(area) for area in column(table, "mean")]
    assert statistics.mean(areas) == pytest.approx(100 * result.mean(), abs=0.01)
    assert "1 task has one answer only" in page.sections["predictions"]
    judged = page.tables["Expected calibration error, mean and deviation over the seeds"]
    assert column(judged, "yes in %") == [f"{100 * (9 + 6) / (19 + 20 + 20):.1f}"]
    assert "even: " in page.sections["mistakes"] or "threes: " in page.sections["mistakes"]


def test_numbers(tmp_path: Path) -> None:
    result = trained(tmp_path, f"data.name={stored_numbers(tmp_path / 'numbers')}")
    page = report_page(tmp_path / "page.html", tmp_path / "small")
    assert "calibration" not in page.sections
    assert f"Mean absolute error {result.mean():.4g}" in page.sections["predictions"]
    assert "20 test nodes" in page.sections["predictions"]
    assert column(page.tables[MAIN], "test") == [f"{result.mean():.4f}"]
    assert "Largest errors" in page.sections["mistakes"]


def test_pictures_of_mistakes(tmp_path: Path) -> None:
    images = torch.rand(60, 8, 8)
    data = stored(tmp_path / "pictures", extra={"image": images}, y=torch.randint(2, (60,)))
    result = trained(tmp_path, f"data.name={data}")
    page = report_page(tmp_path / "page.html", tmp_path / "small")
    wrong = round(20 * (1 - result.mean()))
    assert wrong > 0
    pictures = [attributes for _, attributes in page.elements if attributes.get("class") == "picture"]
    assert len(pictures) == wrong


def test_without_its_data_the_page_says_why(tmp_path: Path) -> None:
    data = stored(tmp_path / "gone")
    trained(tmp_path, f"data.name={data}", seeds=2)
    shutil.rmtree(data)
    page = report_page(tmp_path / "page.html", tmp_path / "small")
    assert set(page.sections) == {"result", "curves", "cost", "configuration"}
    assert "seeds 0-1: " in page.text
    assert f"{data} is neither a folder nor the name of a data set" in page.text


def test_data_that_changed_are_noticed(tmp_path: Path) -> None:
    data = stored(tmp_path / "changed", y=torch.zeros(60, dtype=torch.long), class_names=("no", "yes"))
    trained(tmp_path, f"data.name={data}", "training.epochs=30")
    shutil.rmtree(data)
    stored(data, y=torch.ones(60, dtype=torch.long), class_names=("no", "yes"))
    page = report_page(tmp_path / "page.html", tmp_path / "small")
    assert "changed is no longer what the run was trained on: test accuracy is" in page.text
    assert "predictions" not in page.sections


def test_a_run_that_trained_nothing_has_no_curves(tmp_path: Path) -> None:
    changes = ("model={name: LabelPropagation}", "task.labels={mask_rate: 0}", "training.epochs=0")
    trained(tmp_path, *changes)
    page = report_page(tmp_path / "page.html", tmp_path / "small")
    assert "curves" not in page.sections
    assert "predictions" in page.sections


def test_a_damaged_log_is_named(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "small", tmp_path / "small")
    log = tmp_path / "small" / "seed-0" / "metrics.jsonl"
    log.write_bytes(log.read_bytes() + b'{"epoch": 5, "lo')
    with pytest.raises(ValueError, match=r"metrics\.jsonl, line 5 is damaged"):
        gather([tmp_path / "small"])


def test_the_same_runs_give_the_same_page(runs: Path) -> None:
    first, second = (page(gather([runs / "small", runs / "gcn"])) for _ in range(2))
    assert first == second


def test_charts_and_tables_have_names(compared: Page) -> None:
    for name, attributes in compared.elements:
        if name == "svg":
            assert attributes["role"] in ("img", "group")
            assert attributes["aria-label"]
        if attributes.get("role") in ("tablist", "region"):
            assert attributes["aria-label"]
    assert compared.count("table") == compared.count("caption")
    ids = [attributes["id"] for _, attributes in compared.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    references = {
        attributes[key]
        for _, attributes in compared.elements
        for key in ("aria-controls", "aria-labelledby")
        if key in attributes
    }
    assert references <= set(ids)
