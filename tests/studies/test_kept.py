"""A study goes on from its records where the folders of its runs are gone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agdn.studies.carrying_out import Plan, carry_out, outcomes, planned, record_finished
from agdn.studies.registry import study_named
from agdn.studies.writing import write_study

FEW = ("bases=[gat]", "models=[plain,HA]", "residual=[false]", "training.epochs=3")


@pytest.fixture
def plan_with(small_recipe: str, tmp_path: Path) -> Callable[..., Plan]:
    def plan(*assignments: str, out: str) -> Plan:
        own = (f"recipe={small_recipe}", *FEW, *assignments)
        kept = tmp_path / "records.jsonl"
        return planned(study_named("oversmoothing"), own, seeds=(0, 1), out=tmp_path / out, kept=kept)

    return plan


def test_what_is_on_record_is_not_run_again(plan_with: Callable[..., Plan]) -> None:
    first = plan_with("hops=[1]", out="first")
    carry_out(first, jobs=1, progress=False)
    rows = [each.row() for each in outcomes(first)]
    shutil.rmtree(first.folder)
    second, told = plan_with("hops=[1,2]", out="second"), []
    assert len(second.pending()) == 4
    carry_out(second, jobs=1, progress=False, told=told.append)
    assert len(told) == 4
    assert not second.pending()
    assert [each.row() for each in outcomes(second) if each.facts["K"] == 1] == rows
    assert "8 of" not in write_study(second, command="agdn study oversmoothing").read_text()
    assert len(outcomes(plan_with("hops=[1,2]", out="third"))) == 8


def test_each_run_is_on_record_as_soon_as_it_ends(plan_with: Callable[..., Plan], tmp_path: Path) -> None:
    lines: list[int] = []
    records = tmp_path / "records.jsonl"
    carry_out(
        plan_with("hops=[1]", out="first"), jobs=1, progress=False,
        told=lambda line: lines.append(len(records.read_text().splitlines())),
    )  # fmt: skip
    assert lines == [1, 2, 3, 4]


def test_two_studies_share_a_file(plan_with: Callable[..., Plan], tmp_path: Path) -> None:
    first, second = plan_with("hops=[1]", out="first"), plan_with("hops=[2]", out="second")
    carry_out(first, jobs=1, progress=False)
    carry_out(second, jobs=1, progress=False)  # it read the file before there was anything in it
    assert len((tmp_path / "records.jsonl").read_text().splitlines()) == 8


def test_what_was_finished_without_records_is_put_on_record(plan_with: Callable[..., Plan], tmp_path: Path) -> None:
    plan, records = plan_with("hops=[1]", out="first"), tmp_path / "records.jsonl"
    carry_out(plan, jobs=1, progress=False)
    before = records.read_text()
    records.unlink()
    fresh = plan_with("hops=[1]", out="first")
    carry_out(fresh, jobs=1, progress=False)
    assert not records.exists()
    record_finished(fresh)
    assert sorted(records.read_text().splitlines()) == sorted(before.splitlines())


def test_records_of_other_settings_stay_and_do_not_count(plan_with: Callable[..., Plan], tmp_path: Path) -> None:
    carry_out(plan_with("hops=[1]", out="first"), jobs=1, progress=False)
    other = plan_with("hops=[1]", "training.epochs=4", out="second")
    assert len(other.pending()) == 4
    carry_out(other, jobs=1, progress=False)
    assert len((tmp_path / "records.jsonl").read_text().splitlines()) == 8
    assert {each.trained.epochs for each in outcomes(plan_with("hops=[1]", out="third"))} == {3}


def test_a_file_that_holds_something_else_is_named(plan_with: Callable[..., Plan], tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text('{"some": "thing"}\n')
    with pytest.raises(ValueError, match=r"records.jsonl, line 1: not the record of a run"):
        plan_with(out="first")


def test_a_place_that_cannot_be_written_is_named_first(small_recipe: str, tmp_path: Path) -> None:
    for kept, sentence in ((tmp_path, "is a folder"), (tmp_path / "no" / "r.jsonl", "does not exist")):
        with pytest.raises(ValueError, match=sentence):
            planned(study_named("oversmoothing"), [f"recipe={small_recipe}"], seeds=(0,), out=tmp_path, kept=kept)


def test_measurements_are_of_this_machine(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="leave out --kept"):
        planned(study_named("depth"), [], seeds=(0,), out=tmp_path, kept=tmp_path / "records.jsonl")


def test_a_page_names_where_data_came_from(plan_with: Callable[..., Plan], tmp_path: Path) -> None:
    carry_out(plan_with("hops=[1]", out="first"), jobs=1, progress=False)
    records = tmp_path / "records.jsonl"
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    for line in lines:
        line["run"]["notes"] = ["Uses external data: somebody's texts."]
    records.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    page = write_study(plan_with("hops=[1]", out="second"), command="agdn study oversmoothing").read_text()
    assert page.count("Uses external data: somebody's texts.") == 1
