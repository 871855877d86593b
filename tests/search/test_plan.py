from pathlib import Path
from typing import Any

import pytest

from agdn.search.plan import Effort, planned
from small_searches import small_plan


def test_where_things_go(tmp_path: Path) -> None:
    plan = planned("digits/agdn", Effort(), out=tmp_path)
    assert plan.file == tmp_path / "digits" / "agdn" / "tune.journal"
    assert plan.best == tmp_path / "digits" / "agdn" / "tuned.yaml"
    plan = planned("digits/agdn", Effort(), file=tmp_path / "a", best=tmp_path / "b.yaml")
    assert (plan.file, plan.best) == (tmp_path / "a", tmp_path / "b.yaml")


def test_a_trial_is_the_recipe_with_changes_and_setting(tmp_path: Path) -> None:
    plan = small_plan(tmp_path, changes=("model.dropout=0.5",))
    config = plan.config_of({"model.hidden_channels": 8})
    assert (config.model["dropout"], config.model["hidden_channels"]) == (0.5, 8)
    assert config.training == plan.config.training


def test_the_data_folder_reaches_every_trial(tmp_path: Path) -> None:
    plan = planned("digits/mlp", Effort(), data=tmp_path)
    assert plan.config_of({}).data.root == plan.config.data.root == str(tmp_path)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"trials": 0}, "trials must be at least 1, got 0"),
        ({"finalists": -1}, "finalists must be at least 0, got -1"),
        ({"startup": -1}, "startup must be at least 0"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"jobs": 0}, "jobs must be at least 1, got 0"),
        ({"seeds": ()}, "seeds must be whole numbers"),
        ({"final_seeds": (-1,)}, "seeds must be whole numbers"),
    ],
)
def test_wrong_efforts(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Effort(**changes)


def test_a_wrong_plan_is_found_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"unknown key of MLP 'model\.hops'"):
        small_plan(tmp_path, space={"model.hops": [1]})
    assert not (tmp_path / "runs").exists()
