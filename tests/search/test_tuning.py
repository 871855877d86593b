import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agdn.experiments.config import Config
from agdn.experiments.recipes import read_recipe
from agdn.search import tuning
from agdn.search.crew import Order
from agdn.search.found import Found, Trial
from agdn.search.trial import Pruned, validation_scores
from agdn.search.tuning import tune
from small_searches import small_plan


class AtHome:
    """A crew without processes of its own."""

    def __init__(self, jobs: int) -> None:
        assert jobs == 1

    def __enter__(self) -> "AtHome":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def describe(self, config: Config, seed: int) -> dict[str, Any]:
        if config.data.split.name == "random":
            raise ValueError("no such data")
        return {"metric": "accuracy", "higher_is_better": True}

    def work(self, next_order: Callable[[], Order | None], ended: Callable[[int], None]) -> None:
        while (order := next_order()) is not None:
            self._run(order)
            ended(order.number)

    def _run(self, order: Order) -> None:
        def report(step: int, score: float) -> None:
            if not order.outcome.report(step, score):
                raise Pruned

        try:
            order.outcome.done(validation_scores(order.config, order.seeds, report if order.prune else None))
        except Pruned:
            order.outcome.pruned()
        except ValueError as error:
            order.outcome.failed(str(error))


@pytest.fixture(autouse=True)
def _at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "Crew", AtHome)


def told_of(folder: Path, **effort: Any) -> tuple[Found, list[Trial]]:
    told: list[Trial] = []
    folder.mkdir(exist_ok=True)
    found = tune(small_plan(folder, **effort), lambda metric, trial: told.append(trial))
    return found, told


def test_a_search_from_end_to_end_and_again(tmp_path: Path) -> None:
    found, told = told_of(tmp_path, trials=4, finalists=2)
    assert [trial.number for trial in told[:4]] == [0, 1, 2, 3]
    assert all(trial.final is not None for trial in told[4:])
    assert len(told) == 6
    best, finals = found.best, [trial.final.score for trial in found.trials if trial.final is not None]
    assert best.final is not None
    assert best.final.score == max(score for score in finals if score is not None)
    config = read_recipe(found.recipe)
    assert config.model["hidden_channels"] == best.setting["model.hidden_channels"]

    journal = small_plan(tmp_path).file
    before = found.recipe.stat().st_mtime_ns, journal.read_bytes()
    again, told = told_of(tmp_path, trials=4, finalists=2)
    assert (again, told) == (found, [])
    assert (found.recipe.stat().st_mtime_ns, journal.read_bytes()) == before

    more, told = told_of(tmp_path, trials=5, finalists=0)
    assert [trial.number for trial in told] == [4]
    assert more.trials[:4] == found.trials
    assert more.best.score == max(trial.score for trial in more.trials if trial.score is not None)


def test_the_same_seed_gives_the_same_trials_and_pruning_is_part_of_it(tmp_path: Path) -> None:
    searches = [told_of(tmp_path / name, trials=12, startup=4, finalists=0)[0] for name in ("one", "two")]
    ends = [[(trial.setting, trial.state, trial.score) for trial in found.trials] for found in searches]
    assert ends[0] == ends[1]
    assert {state for _, state, _ in ends[0]} == {"complete", "pruned"}


def test_nothing_about_test_nodes_is_kept(tmp_path: Path) -> None:
    found, _ = told_of(tmp_path)
    journal = small_plan(tmp_path).file.read_text()
    for text in (journal, json.dumps(found.to_json()), found.recipe.read_text()):
        assert '"test' not in text.replace(str(tmp_path), "")


def test_if_every_trial_fails_the_first_reason_is_the_error(tmp_path: Path) -> None:
    plan = small_plan(tmp_path, trials=2, space={"training.optimizer": [{"name": "sgd", "lr": 1e30}]})
    with pytest.raises(ValueError, match="no trial of small was completed; the first failed because the loss became"):
        tune(plan)
    assert not plan.best.exists()


def test_a_setting_that_makes_no_configuration_has_failed_and_the_search_goes_on(tmp_path: Path) -> None:
    """Each choice fits the recipe, the two together do not."""
    space = {"training.optimizer.name": ["adam", "sgd"], "training.optimizer": [{"lr": 0.01}, {"betas": [0.9, 0.99]}]}
    plan = small_plan(tmp_path, trials=8, finalists=0, space=space, startup=8)
    found = tune(plan)
    failed = [trial for trial in found.trials if trial.state == "failed"]
    assert 0 < len(failed) < 8
    assert all("unknown key" in str(trial.reason) for trial in failed)


def test_a_setting_that_comes_again_is_not_trained_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, trained = validation_scores, []

    def counted(config: Config, seeds: tuple[int, ...], report: Any) -> list[float]:
        trained.append(config.model["hidden_channels"])
        return real(config, seeds, report)

    monkeypatch.setattr(f"{__name__}.validation_scores", counted)
    space = {"model.hidden_channels": [2, 4]}
    found, told = told_of(tmp_path, space=space, trials=4, finalists=3, startup=4, prune=False)
    assert sorted(trained) == [2, 2, 4, 4], "each setting once in the search, and once as a finalist"
    assert [trial.state for trial in found.trials] == ["complete"] * 4
    assert len(told) == 6
    assert len({trial.score for trial in found.trials if trial.setting == found.trials[0].setting}) == 1


def test_a_finalist_that_fails_is_not_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = validation_scores
    finals: list[int] = []

    def failing_first(config: Config, seeds: tuple[int, ...], report: Any) -> list[float]:
        if seeds == (7,):
            finals.append(1)
            if len(finals) == 1:
                raise ValueError("it burnt")
        return real(config, seeds, report)

    monkeypatch.setattr(f"{__name__}.validation_scores", failing_first)
    found, told = told_of(tmp_path, trials=3, finalists=2)
    assert told[3].final is not None
    assert told[3].final.reason == "it burnt"
    assert found.best.number == told[4].number
    finals.clear()
    with pytest.raises(ValueError, match="every finalist of small failed, the first because it burnt"):
        told_of(tmp_path / "other", trials=3, finalists=1)


def test_data_that_cannot_be_used_fail_before_any_trial(tmp_path: Path) -> None:
    plan = small_plan(tmp_path, changes=("data.split=random",))
    with pytest.raises(ValueError, match="no such data"):
        tune(plan)
    assert plan.file.read_bytes() == b""


def test_a_recipe_that_others_wrote_is_refused_before_any_trial(tmp_path: Path) -> None:
    plan = small_plan(tmp_path)
    plan.best.parent.mkdir(parents=True)
    plan.best.write_text("mine: 1\n")
    told: list[Trial] = []
    with pytest.raises(ValueError, match="give another --best"):
        tune(plan, lambda metric, trial: told.append(trial))
    assert not told
    assert plan.best.read_text() == "mine: 1\n"
