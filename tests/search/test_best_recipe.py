from pathlib import Path
from typing import Any

import pytest

from agdn.experiments import yaml_text
from agdn.experiments.recipes import read_recipe
from agdn.search.best_recipe import check_place, recipe_text, write_recipe
from agdn.search.found import Final, Trial
from agdn.search.journal import opened
from agdn.search.plan import Effort, Plan, planned
from agdn.search.study import open_study
from small_searches import small_plan

SETTING = {"model.hidden_channels": 8, "training.optimizer.lr": 0.025, "training.schedule": {"name": "cosine"}}


def trial(final: Final | None = None, setting: dict[str, Any] | None = None) -> Trial:
    return Trial(4, "complete", SETTING if setting is None else setting, 0.5, (0.25, 0.75), None, 1.0, final)


def written(plan: Plan, chosen: Trial) -> str:
    plan.best.parent.mkdir(parents=True, exist_ok=True)
    text = recipe_text(plan, chosen, metric="accuracy", trials=9)
    plan.best.write_text(text)
    return text


def test_the_recipe_is_that_of_the_trial(tmp_path: Path) -> None:
    plan = small_plan(tmp_path, changes=("model.dropout=0.5",))
    content = yaml_text.parse(written(plan, trial(Final((7,), (0.875,)))), "tuned")
    assert content == {
        "extends": "../../small.yaml",
        "name": "small-tuned",
        "description": "Tuned: the best of 9 trials on seeds 100, 101; validation accuracy 87.50 on seeds 7.",
        "model": {"dropout": 0.5, "hidden_channels": 8},
        "training": {"optimizer": {"lr": 0.025}, "schedule": {"name": "cosine"}},
    }
    expected = plan.config_of(SETTING).model_dump(exclude={"name", "description"})
    assert read_recipe(plan.best).model_dump(exclude={"name", "description"}) == expected


def test_without_finals_the_score_is_that_of_the_search(tmp_path: Path) -> None:
    assert (
        "validation accuracy 50.00 on seeds 100, 101."
        in yaml_text.parse(written(small_plan(tmp_path), trial()), "tuned")["description"]
    )


def test_what_was_published_for_the_recipe_is_not_claimed_for_the_tuned_one(tmp_path: Path) -> None:
    plan = planned("cora/gcn", Effort(), out=tmp_path)
    content = yaml_text.parse(written(plan, trial(setting={"model.norm": "batch"})), "tuned")
    assert content["extends"] == "cora/gcn"
    assert content["description"].startswith("The GCN of Kipf")
    assert read_recipe(plan.best).published is None


def test_another_part_keeps_none_of_the_old_ones_options(tmp_path: Path) -> None:
    setting = {"model.weighting": "PPR", "model.transition": "gat"}
    plan = planned("digits/agdn", Effort(), out=tmp_path)
    written(plan, trial(setting=setting))
    assert read_recipe(plan.best).model == plan.config_of(setting).model


def test_only_what_the_search_wrote_is_overwritten(tmp_path: Path) -> None:
    plan = small_plan(tmp_path)
    with opened(plan.file) as journal:
        study = open_study(journal, plan, lambda: {"metric": "accuracy", "higher_is_better": True})
        check_place(plan.best, study)
        for text in ("model: {}\n", "model: {hops: 1}\n", "model: {hops: 1}\n", "model: {}\n"):
            write_recipe(plan.best, text, study)
            check_place(plan.best, study)
            assert plan.best.read_text() == text
        assert len(study.written()) == 2
        plan.best.write_text("model: {hops: 7}\n")
        with pytest.raises(ValueError, match=r"tuned\.yaml is there already and not as this search wrote it"):
            check_place(plan.best, study)
