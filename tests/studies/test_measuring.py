"""Measured cells: numbers of a process of its own, kept, and shown as they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from agdn.experiments.experiment import Experiment
from agdn.experiments.jobs import threads_each
from agdn.ops import reuse_freed_memory
from agdn.ops.kernels import buffers
from agdn.studies.carrying_out import Plan, carry_out, outcomes, planned
from agdn.studies.estimate import estimated
from agdn.studies.measurements import measurement_file, read_measurement
from agdn.studies.measuring import _Watched, measured, timed_steps
from agdn.studies.registry import study_named
from agdn.studies.study import Outcome
from agdn.studies.writing import write_study
from agdn.training.peak_memory import resident
from small_runs import small


def test_steps_are_those_of_the_training_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGDN_KERNELS")  # parts of a graph are drawn by kernels
    config = small("training.epochs=7")
    built = Experiment(config, 0, Path()).assemble()
    assert len(timed_steps(built, config.training, 3)) == 3
    sampled = small("sampling={name: random_partition, parts: 5}")
    built = Experiment(sampled, 0, Path()).assemble()
    assert built.task.steps(built.inputs) == 5
    assert len(timed_steps(built, sampled.training, 2)) == 2


def test_what_is_measured() -> None:
    found = measured(small())
    assert found["nodes"] == 120
    assert found["parameters"] > 0
    assert found["step seconds"] > 0
    assert found["evaluation seconds"] > 0
    links = measured(small("data.split=edges", "link={}", "training.epochs=2"), pairs=20)
    assert links["steps"] >= 1


@pytest.mark.parametrize("make", [lambda n: torch.ones(n), lambda n: buffers.empty((n,), torch.float32).fill_(1)])
def test_memory_that_was_freed_counts_when_it_is_used_again(make: Callable[[int], torch.Tensor]) -> None:
    if resident() is None:
        pytest.skip("this system does not tell what is resident")
    reuse_freed_memory()
    try:
        make(1 << 26)  # 256 MiB, freed at once
        watched = _Watched(torch.device("cpu"))
        used = make(1 << 25)
        assert used.nbytes <= watched.bytes() < 1.2 * used.nbytes  # type: ignore[operator]
    finally:
        reuse_freed_memory(False)


def test_depths_are_measured_once_and_shown(tmp_path: Path) -> None:
    assignments = ["nodes=200", "channels=4", "hops=[2,3]", "layers=[2,3]"]
    plan = planned(study_named("depth"), assignments, seeds=(0,), out=tmp_path)
    assert [(cell.facts["layers"], cell.facts["K"]) for cell in plan.cells[::4]] == [(2, 2), (2, 3), (3, 2)]
    assert plan.runs == 12
    few = Plan(plan.study, plan.settings, (plan.cells[0], plan.cells[2]), plan.seeds, plan.folder)
    told: list[str] = []
    carry_out(few, told=told.append)
    assert len(told) == 2
    before = measurement_file(plan.folder, plan.cells[0]).stat().st_mtime_ns
    carry_out(few, told=told.append)
    assert len(told) == 2
    assert measurement_file(plan.folder, plan.cells[0]).stat().st_mtime_ns == before
    other = planned(study_named("depth"), [*assignments, "threads=1"], seeds=(0,), out=tmp_path)
    assert (read_measurement(plan.folder, other.cells[0]) is None) == (threads_each(1) != 1), (
        "other threads, other times"
    )
    text = write_study(few, command="agdn study depth").read_text()
    found = outcomes(few)
    assert f"| {found[0].observed['parameters']:,} |" in text
    assert "| 2 | 2 | reversible |" in text
    (row,) = json.loads((plan.folder / "depth.json").read_text())["tables"]["all"][:1]
    assert row["memory, times store"] == row["time, times store"] == "1.00"
    assert "Memory of a step against K, 2 layers" in (plan.folder / "depth-depth.svg").read_text()
    with pytest.raises(ValueError, match="measures a few steps itself"):
        estimated(few)
    with pytest.raises(ValueError, match="give one seed"):
        planned(study_named("depth"), assignments, seeds=(0, 1), out=tmp_path)


def test_a_cell_that_does_not_fit_is_told(small_plan: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch) -> None:
    from agdn.studies import measuring
    from agdn.training.errors import TrainingError

    plan = small_plan("runtime", key="recipes")
    order = {"config": plan.cells[0].config.model_dump(mode="json"), "seed": 0, "steps": 1}

    def too_large(*arguments: object, **options: object) -> None:
        raise TrainingError("training needs 99 GB")

    monkeypatch.setattr(measuring, "measured", too_large)
    assert measuring.work(order, None) == {"failed": "training needs 99 GB"}  # type: ignore[arg-type]

    def nothing_left(*arguments: object, **options: object) -> None:
        torch.empty(2**59)

    monkeypatch.setattr(measuring, "measured", nothing_left)
    assert "allocate" in measuring.work(order, None)["failed"]  # type: ignore[arg-type]


def test_what_cannot_be_measured_does_not_end_the_rest(small_plan: Callable[..., Plan], tmp_path: Path) -> None:
    good, missing = small_plan("runtime", key="recipes").cells[0], tmp_path / "missing.yaml"
    missing.write_text("data: {name: cora}\nmodel: {name: GCN, hidden_channels: 8}\n")
    plan = planned(study_named("runtime"), [f"recipes=[{missing}]"], seeds=(0,), data=tmp_path, out=tmp_path / "out")
    both = Plan(plan.study, plan.settings, (plan.cells[0], good), plan.seeds, plan.folder)
    told: list[str] = []
    carry_out(both, told=told.append)
    first, second = (each.observed for each in outcomes(both))
    assert "cora" in first["failed"]
    assert second["step seconds"] > 0
    carry_out(both, told=told.append)
    assert len(told) == 2, "a failure is kept"
    carry_out(both, resume=True, told=told.append)
    assert len(told) == 3, "and tried again when going on"


def test_run_times_by_data_set(small_plan: Callable[..., Plan]) -> None:
    plan = small_plan("runtime", key="recipes")
    carry_out(plan)
    found = outcomes(plan)[0].observed
    text = write_study(plan, command="agdn study runtime").read_text()
    assert "## csbm, 120 nodes" in text
    assert f"| {found['edges']:,} | {found['parameters']:,} | {found['step seconds']:.3g} | 1 |" in text


def test_a_data_set_may_be_a_path() -> None:
    own = Outcome({"set": "/my/tables", "recipe": "r", "share of the edges": 1.0}, 0, {"failed": "no memory"})
    (table,) = study_named("runtime").page(None, [own]).parts
    assert (table.key, table.title) == ("my-tables", "/my/tables")


def test_options_that_would_not_count_are_refused(small_plan: Callable[..., Plan]) -> None:
    with pytest.raises(ValueError, match="one experiment after another; leave out --jobs"):
        carry_out(small_plan("runtime", key="recipes"), jobs=2)
    with pytest.raises(ValueError, match="nodes is of the random graph; with recipe="):
        small_plan("depth", "nodes=100")


def test_depth_is_of_training(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"training.epochs must be at least 1"):
        planned(study_named("depth"), ["training.epochs=0"], seeds=(0,), out=tmp_path)
