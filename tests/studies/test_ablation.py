"""Rows that differ from the reference in what they name and in nothing else, and their paired tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from agdn.models.registry import option_defaults
from agdn.studies.carrying_out import Plan, carry_out, outcomes, planned
from agdn.studies.paired import paired
from agdn.studies.registry import study_named
from agdn.studies.writing import write_study
from report_pages import stored_numbers


def different(first: Mapping[str, Any], second: Mapping[str, Any]) -> set[str]:
    return {key for key in first.keys() | second.keys() if first.get(key) != second.get(key)}


def told(section: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the transition by themselves."""
    transition = section.get("transition")
    if transition is None:
        return dict(section)
    options = {"name": transition} if isinstance(transition, str) else transition
    flat = {f"transition.{key}": value for key, value in {"target_query": True, **options}.items()}
    return {key: value for key, value in section.items() if key != "transition"} | flat


def test_a_row_changes_what_it_names(small_plan: Callable[..., Plan]) -> None:
    plan = small_plan("ablation", key="recipes")
    configs = {str(cell.facts["row"]): cell.config.model_dump(mode="json") for cell in plan.cells}
    reference = configs.pop("AGDN")
    assert len(configs) == 20
    changed = {
        row: {
            f"{section}.{key}"
            for section in ("data", "model", "task", "training")
            for key in different(told(reference[section]), told(config[section]))
        }
        for row, config in configs.items()
    }
    assert all(changed.values()), "every row changes something"
    assert changed["GAT"] == {"model.hops", "model.first_hop", "model.weighting", "model.position"}
    assert changed["GAT, no residual"] == changed["GAT"] | changed["no residual"] == changed["GAT"] | {"model.residual"}
    assert changed["sym"] == changed["gat_adj"] == {"model.transition.name"}
    assert changed["no target query"] == {"model.transition.target_query"}
    assert changed["norm.adj"] == {"model.transition.name", "model.transition.scaled_scores"}
    assert changed["PairNorm"] == {"model.norm"}
    assert changed["DropEdge"] == {"model.edge_dropout"}
    assert changed["labels as input"] == {"task.labels"}
    assert configs["self-distillation"]["task"]["distillation"]["teacher"] == reference["name"]
    assert all(reference[section] == config[section] for config in configs.values() for section in ("data", "training"))


def test_nothing_of_the_recipes_own_network_stays(tmp_path: Path) -> None:
    """A recipe of AGDN with hop 1 alone, dropped edges and a transition of its own gives its widths and no more."""
    path = tmp_path / "gat.yaml"
    path.write_text(
        "data: {name: csbm, options: {num_nodes: 60}}\n"
        "model: {name: AGDN, hidden_channels: 8, hops: 1, first_hop: 1, weighting: sum, edge_dropout: 0.15, "
        "dropout: 0.25, skip: input, node_dropout: 0.5}\n"
    )
    ablation = planned(study_named("ablation"), [f"recipes=[{path}]"], seeds=(0,), out=tmp_path)
    reference = ablation.cells[0].config.model
    assert (reference["hidden_channels"], reference["dropout"], reference["skip"]) == (8, 0.25, "input")
    assert [reference[key] for key in ("first_hop", "edge_dropout", "node_dropout")] == [0, 0, 0]
    smoothing = planned(study_named("oversmoothing"), [f"recipe={path}"], seeds=(0,), out=tmp_path)
    usual = option_defaults("AGDN")
    for cell in smoothing.cells:
        model = cell.config.model
        assert [model[key] for key in ("edge_dropout", "node_dropout", "skip")] == [0, 0, usual["skip"]]
        assert model["first_hop"] == (cell.facts["model"] == "plain")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            "task.loss=loge",
            "the row 'loge loss' of the study ablation changes nothing in .*; leave out the group tricks",
        ),
        ("model.num_layers=1", "PairNorm stands between layers, and .* has one; leave out the group smoothing"),
    ],
)
def test_a_row_that_changes_nothing_is_refused(small_plan: Callable[..., Plan], change: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        small_plan("ablation", change, key="recipes")


def test_unknown_groups_are_named(small_plan: Callable[..., Plan]) -> None:
    with pytest.raises(ValueError, match="no group 'trick'; choose from network, transition"):
        small_plan("ablation", "groups=[trick]", key="recipes")


def test_gat_and_agdn_are_compared_without_residual_too(small_plan: Callable[..., Plan]) -> None:
    plan = small_plan("ablation", "groups=[network,layer]", "training.epochs=2", seeds=(0, 1, 2), key="recipes")
    carry_out(plan, jobs=1, progress=False)
    by_row = {
        row: {each.seed: 100 * each.trained.score() for each in outcomes(plan) if each.facts["row"] == row}
        for row in ("GAT, no residual", "no residual")
    }
    test = paired(*by_row.values())
    assert test is not None
    said = f"Without residual in both, GAT minus AGDN is {test.mean:+.2f} ± {test.error:.2f}"
    assert said in write_study(plan, command="agdn study ablation").read_text()


def test_where_less_is_better_the_figure_says_so(small_plan: Callable[..., Plan], tmp_path: Path) -> None:
    numbers = f"data.name={stored_numbers(tmp_path / 'data')}"
    plan = small_plan("ablation", "groups=[transition]", "training.epochs=1", numbers, key="recipes")
    carry_out(plan, jobs=1, progress=False)
    assert "left of the line a row is ahead" in write_study(plan, command="agdn study ablation").read_text()
    svg = next(plan.folder.glob("*.svg")).read_text()
    assert ">mae<" in svg
    assert "percentage points" not in svg


def test_the_table_has_the_tests_of_the_runs(small_plan: Callable[..., Plan]) -> None:
    plan = small_plan("ablation", "groups=[network,tricks]", "training.epochs=2", seeds=(0, 1, 2), key="recipes")
    carry_out(plan, jobs=1, progress=False)
    page = write_study(plan, command="agdn study ablation")
    found = outcomes(plan)
    assert len(found) == 12 * 3

    def scores(row: str) -> dict[int, float]:
        return {each.seed: 100 * each.trained.score() for each in found if each.facts["row"] == row}

    test = paired(scores("GAT"), scores("AGDN"))
    assert test is not None
    line = next(line for line in page.read_text().splitlines() if "| GAT |" in line)
    assert f"| {test.mean:+.2f} ± {test.error:.2f} |" in line
    svg = next(plan.folder.glob("*.svg")).read_text()
    assert svg.count('class="row"') == 11
    assert svg.count('class="mark"') == 1  # where no row is ahead of the reference
    assert "self-distillation" in svg
