"""Which runs belong together, and what they are called."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agdn.report.gather.runs import by_configuration, found_runs
from report_pages import trained


def labels(*folders: Path) -> list[str]:
    return [group.label for group in by_configuration(found_runs(folders))]


def test_a_seed_a_recipe_or_a_folder_of_recipes(runs: Path) -> None:
    assert labels(runs / "small" / "seed-1") == ["small"]
    assert [len(group.result.runs) for group in by_configuration(found_runs([runs]))] == [2, 2]
    assert labels(runs) == ["gcn", "small"]
    assert labels(runs / "small", runs / "small" / "seed-0", runs) == ["small", "gcn"]


def test_one_name_with_other_settings_is_another_recipe(runs: Path, tmp_path: Path) -> None:
    trained(tmp_path, "model.hops=1")
    assert labels(runs / "small", tmp_path / "small") == ["small (model.hops=2)", "small (model.hops=1)"]


def test_settings_that_change_no_number_make_no_recipe(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "small" / "seed-1", tmp_path / "seed-1")
    config = tmp_path / "seed-1" / "config.yaml"
    config.write_text(config.read_text().replace("threads: 1", "threads: 2"))
    assert labels(runs / "small" / "seed-0", tmp_path / "seed-1") == ["small"]


def test_a_seed_twice_is_refused(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "small", tmp_path / "copy")
    with pytest.raises(ValueError, match="are both seed 0 of small; give one of them"):
        labels(runs / "small", tmp_path / "copy")


def test_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no finished run"):
        labels(tmp_path)
    with pytest.raises(ValueError, match="there is no run folder"):
        labels(tmp_path / "nowhere")
