"""Cells that are what the study is about, a page with the runs' own numbers, and a study that goes on."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from agdn.experiments.load import load_nodes
from agdn.ops.smoothness import dirichlet_energy, mean_cosine
from agdn.studies.carrying_out import Plan, carry_out, outcomes
from agdn.studies.estimate import TIMINGS, estimated
from agdn.studies.study import Cell
from agdn.studies.writing import write_study
from report_pages import stored_numbers

FEW = ("bases=[gat]", "models=[plain,HA]", "hops=[1,2]", "residual=[false]", "training.epochs=3")


def test_stacks_reach_as_far_as_hops(small_plan: Callable[..., Plan]) -> None:
    plan = small_plan("oversmoothing", "hops=[1,4]", "layers=2", "position=false")
    assert len(plan.cells) == 3 * 2 * 4 * 2
    for cell in plan.cells:
        model = cell.config.model
        assert model["num_layers"] * model["hops"] == 2 * cell.facts["K"]
        assert model["residual"] == cell.facts["residual"]
        assert model["hidden_channels"] == 4
        transition = model["transition"]
        assert (transition if isinstance(transition, str) else transition["name"]) == cell.facts["base"]
        if cell.facts["model"] == "plain":
            assert (model["hops"], model["first_hop"]) == (1, 1)
    assert len({cell.config.name for cell in plan.cells}) == len(plan.cells)


def test_the_page_has_the_numbers_of_the_runs(small_plan: Callable[..., Plan]) -> None:
    plan = small_plan("oversmoothing", *FEW, seeds=(0, 1))
    carry_out(plan, jobs=1, progress=False)
    page = write_study(plan, command="agdn study oversmoothing")
    found = outcomes(plan)
    assert len(found) == 8
    text = page.read_text()
    scores = [100 * each.trained.score() for each in found if each.facts["model"] == "HA" and each.facts["K"] == 2]
    mean, spread = torch.tensor(scores, dtype=torch.float64).mean(), torch.tensor(scores, dtype=torch.float64).std()
    assert f"{mean:.2f} ± {spread:.2f} |\n" in text
    with page.with_suffix(".csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["test accuracy"]) for row in rows] == [each.trained.score() for each in found]
    trained = load_nodes(found[0].trained, "a test")
    states = torch.from_numpy(trained.embed().values)
    assert float(rows[0]["mean cosine"]) == pytest.approx(mean_cosine(states))
    assert float(rows[0]["dirichlet energy"]) == pytest.approx(dirichlet_energy(states, trained.dataset.graph))
    for key in ("score", "energy", "cosine"):
        svg = (plan.folder / f"oversmoothing-{key}-bare.svg").read_text()
        assert f"(oversmoothing-{key}-bare.svg)" in text
        assert "plain stack" in svg
        assert svg.count('class="chart"') == 1
    closer = (plan.folder / "oversmoothing-score-bare-closer.svg").read_text()
    assert "plain stack" not in closer
    assert closer.count('class="chart"') == 1
    content = json.loads(page.with_suffix(".json").read_text())
    assert content["settings"]["hops"] == [1, 2]
    assert len(content["rows"]) == 8


def test_what_is_finished_is_not_run_again(small_plan: Callable[..., Plan]) -> None:
    first = small_plan("oversmoothing", *FEW[:2], "hops=[1]", *FEW[3:])
    carry_out(first, jobs=1, progress=False)
    results = {path: path.stat().st_mtime_ns for path in first.folder.rglob("result.json")}
    assert len(results) == 2
    whole = small_plan("oversmoothing", *FEW)
    assert len(whole.pending()) == 2
    text = write_study(whole, command="agdn study oversmoothing").read_text()
    assert "2 of 4 runs are not finished" in text
    told: list[str] = []
    carry_out(whole, resume=True, jobs=1, progress=False, told=told.append)
    assert len(told) == 2
    assert all(path.stat().st_mtime_ns == before for path, before in results.items())
    assert not whole.pending()
    assert "not finished" not in write_study(whole, command="agdn study oversmoothing").read_text()


def test_links_are_refused_before_anything_is_trained(small_plan: Callable[..., Plan]) -> None:
    with pytest.raises(ValueError, match="is about models of nodes"):
        small_plan("oversmoothing", "data.split=edges", "link={}")


def test_of_numbers_the_page_has_curves_and_no_claims(small_plan: Callable[..., Plan], tmp_path: Path) -> None:
    plan = small_plan("oversmoothing", *FEW, f"data.name={stored_numbers(tmp_path / 'data')}")
    carry_out(plan, jobs=1, progress=False)
    text = write_study(plan, command="agdn study oversmoothing").read_text()
    assert "Test mae without residual" in text
    assert "claim" not in text


def test_no_page_of_nothing(small_plan: Callable[..., Plan]) -> None:
    with pytest.raises(ValueError, match="no run of the study oversmoothing"):
        write_study(small_plan("oversmoothing", *FEW), command="")


def test_the_estimate_is_of_what_is_left(small_plan: Callable[..., Plan]) -> None:
    plan = small_plan("oversmoothing", *FEW, seeds=(0, 1))
    said: list[str] = []
    estimate = estimated(plan, said.append)
    assert (estimate.runs, estimate.finished) == (8, 0)
    assert len(said) == 4
    timings = json.loads((plan.folder / TIMINGS).read_text())
    assert estimate.seconds == pytest.approx(2 * sum(start + 3 * epoch for start, epoch in timings.values()))
    assert estimated(plan, said.append) == estimate
    assert len(said) == 4, "times are kept"
    carry_out(plan, jobs=1, progress=False)
    assert estimated(plan).seconds == 0


def test_a_run_of_other_settings_is_not_mixed_in(small_plan: Callable[..., Plan]) -> None:
    carry_out(small_plan("oversmoothing", *FEW), jobs=1, progress=False)
    with pytest.raises(ValueError, match=r"another configuration .training.epochs is 3 there, 2 here"):
        carry_out(small_plan("oversmoothing", *FEW, "training.epochs=2"), jobs=1, progress=False)
    with pytest.raises(ValueError, match=r"another configuration .model.num_layers is 3 there, 2 here"):
        write_study(small_plan("oversmoothing", *FEW, "layers=2"), command="")
    with pytest.raises(ValueError, match="another configuration"):
        small_plan("oversmoothing", *FEW, "position=false").pending()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_fails_does_not_end_the_study(small_plan: Callable[..., Plan], jobs: int) -> None:
    """Where one network cannot be trained, the others are, and the page says which and why."""
    whole = small_plan("oversmoothing", *FEW)
    cell = whole.cells[1]
    broken = cell.config.model_copy(update={"data": cell.config.data.model_copy(update={"name": "no-such-set"})})
    plan = replace(whole, cells=(whole.cells[0], Cell(cell.facts, broken), *whole.cells[2:]))
    failures = carry_out(plan, jobs=jobs, progress=False)
    assert len(failures) == 1
    assert failures[0].startswith(f"{cell.config.name} seed 0: ")
    assert "no-such-set" in failures[0]
    assert len(outcomes(plan)) == 3
    assert failures[0] in write_study(plan, command="", failures=failures).read_text()
    with pytest.raises(ValueError, match="no-such-set"):
        carry_out(replace(plan, cells=plan.cells[1:2]), jobs=jobs, progress=False)
