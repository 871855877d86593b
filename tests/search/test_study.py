import json
from pathlib import Path
from typing import Any

import optuna
import pytest

from agdn.search.found import Final
from agdn.search.journal import opened
from agdn.search.plan import Plan
from agdn.search.study import PRUNED_AFTER, Study, open_study
from agdn.search.trial import REPORTS
from small_searches import small_plan

ACCURACY = {"metric": "accuracy", "higher_is_better": True}
ERROR = {"metric": "mae", "higher_is_better": False}


def quality(setting: dict[str, Any]) -> float:
    return float(setting["model.hidden_channels"] / 10 + setting["model.num_layers"] - setting["training.optimizer.lr"])


def run(study: Study, total: int, *, stop_after: int | None = None) -> list[dict[str, Any]]:
    """Trials with a score that their setting decides; the last is left open where the run stops."""
    settings: list[dict[str, Any]] = []
    while (begun := study.begin(total)) is not None:
        if stop_after is not None and len(settings) == stop_after:
            return settings
        settings.append(begun.setting)
        begun.done([quality(begun.setting)])
    return settings


def opened_study(journal: Any, plan: Plan, about: dict[str, Any] = ACCURACY) -> Study:
    return open_study(journal, plan, lambda: about)


def test_settings_come_from_the_space_and_trials_are_kept(tmp_path: Path) -> None:
    plan = small_plan(tmp_path)
    with opened(plan.file) as journal:
        settings = run(opened_study(journal, plan), 6)
    assert all(setting["model.hidden_channels"] in (2, 4, 8) for setting in settings)
    assert all(0.001 <= setting["training.optimizer.lr"] <= 0.1 for setting in settings)
    assert {type(setting["model.num_layers"]) for setting in settings} == {int}
    with opened(plan.file) as journal:
        study = open_study(journal, plan, lambda: pytest.fail("a study that is there need not be described"))
        assert [trial.setting for trial in study.trials()] == settings
        assert study.begin(6) is None
        assert study.metric == "accuracy"
        best = study.best()
        assert [trial.score for trial in best] == sorted(map(quality, settings), reverse=True)
        assert best[0].scores == (best[0].score,)


def test_mappings_and_nothing_are_choices(tmp_path: Path) -> None:
    space = {"training.schedule": [{"name": "cosine"}, "none"], "training.patience": [None, 5]}
    plan = small_plan(tmp_path, space=space)
    with opened(plan.file) as journal:
        study = opened_study(journal, plan)
        seen = [begun.setting for begun in iter(lambda: study.begin(12), None)]
    assert {json.dumps(setting["training.schedule"]) for setting in seen} == {'{"name": "cosine"}', '"none"'}
    assert {setting["training.patience"] for setting in seen} == {None, 5}


def test_a_search_that_was_cut_off_goes_on_as_it_would_have(tmp_path: Path) -> None:
    """Random draws and learnt ones, cut off after every number of trials."""
    (tmp_path / "whole").mkdir()
    whole = small_plan(tmp_path / "whole", startup=3)
    with opened(whole.file) as journal:
        expected = run(opened_study(journal, whole), 8)
    assert len({json.dumps(setting) for setting in expected}) > 5
    for cut in range(8):
        folder = tmp_path / str(cut)
        folder.mkdir()
        plan = small_plan(folder, startup=3)
        with opened(plan.file) as journal:
            first = run(opened_study(journal, plan), 8, stop_after=cut)
        with opened(plan.file) as journal:
            study = opened_study(journal, plan)
            assert len(study.trials()) == cut
            assert first + run(study, 8) == expected
            assert [trial.number for trial in study.trials()] == list(range(8))


def test_another_seed_draws_other_settings(tmp_path: Path) -> None:
    drawn = []
    for seed in (0, 1):
        (tmp_path / str(seed)).mkdir()
        plan = small_plan(tmp_path / str(seed), seed=seed)
        with opened(plan.file) as journal:
            drawn.append(run(opened_study(journal, plan), 3))
    assert drawn[0] != drawn[1]


def test_several_under_way_have_numbers_and_settings_of_their_own(tmp_path: Path) -> None:
    plan = small_plan(tmp_path)
    with opened(plan.file) as journal:
        study = opened_study(journal, plan)
        begun = [study.begin(3) for _ in range(4)]
        assert [trial and trial.number for trial in begun] == [0, 1, 2, None]
        assert len({json.dumps(trial.setting) for trial in begun if trial}) == 3
        assert begun[1] is not None
        begun[1].done([1.0])
    with opened(plan.file) as journal:
        study = opened_study(journal, plan)
        assert [trial.number for trial in study.trials()] == [1]
        again = [study.begin(3) for _ in range(3)]
        assert [trial and trial.number for trial in again] == [0, 2, None]


def test_scores_that_were_noted_are_not_lost_with_the_last_word(tmp_path: Path) -> None:
    plan = small_plan(tmp_path)
    with opened(plan.file) as journal:
        run(opened_study(journal, plan), 1)
    lines = plan.file.read_bytes().splitlines(keepends=True)
    plan.file.write_bytes(b"".join(lines[:-1]))
    with opened(plan.file) as journal:
        (trial,) = opened_study(journal, plan).trials()
    assert trial.score == quality(trial.setting)


def test_failures_count_and_give_their_reason(tmp_path: Path) -> None:
    plan = small_plan(tmp_path)
    with opened(plan.file) as journal:
        study = opened_study(journal, plan)
        for _ in range(2):
            begun = study.begin(2)
            assert begun is not None
            begun.failed("it burnt")
        assert study.begin(2) is None
        assert [(trial.state, trial.reason, trial.score) for trial in study.trials()] == [
            ("failed", "it burnt", None)
        ] * 2
        assert study.best() == []


@pytest.mark.parametrize(("about", "good", "bad"), [(ACCURACY, 0.9, 0.1), (ERROR, 0.1, 0.9)])
def test_what_lies_below_the_median_is_pruned(tmp_path: Path, about: dict[str, Any], good: float, bad: float) -> None:
    plan = small_plan(tmp_path)
    with opened(plan.file) as journal:
        study = opened_study(journal, plan, about)
        for _ in range(PRUNED_AFTER):
            begun = study.begin(10)
            assert begun is not None
            assert all(begun.report(step, 0.5) for step in range(1, REPORTS + 1))
            begun.done([0.5])
        better, worse = study.begin(10), study.begin(10)
        assert better is not None
        assert worse is not None
        assert worse.report(1, bad), "early steps are not held against a trial"
        assert better.report(REPORTS, good)
        assert not worse.report(REPORTS, bad)
        worse.pruned()
        better.done([good])
        assert study.trials()[-1].state == "pruned"
        assert study.best()[0].score == good
    plan = small_plan(tmp_path, prune=False)
    with opened(plan.file) as journal:
        begun = opened_study(journal, plan).begin(10)
        assert begun is not None
        assert begun.report(REPORTS, bad)


def test_finals_and_written_recipes_are_remembered(tmp_path: Path) -> None:
    plan = small_plan(tmp_path)
    with opened(plan.file) as journal:
        study = opened_study(journal, plan)
        run(study, 2)
        study.set_final(1, Final((7, 8), (0.25, 0.75)))
        study.set_written("abc")
    with opened(plan.file) as journal:
        study = opened_study(journal, plan)
        assert study.trial(0).final is None
        assert study.trial(1).final == Final((7, 8), (0.25, 0.75))
        assert study.written() == ["abc"]


def test_what_matters_is_told_once_there_are_enough_trials(tmp_path: Path) -> None:
    plan = small_plan(tmp_path)
    with opened(plan.file) as journal:
        study = opened_study(journal, plan)
        run(study, 4)
        assert study.importance() == {}
        run(study, 14)
        importance = study.importance()
    assert set(importance) == set(plan.space.keys)
    assert sum(importance.values()) == pytest.approx(1)
    assert importance["model.num_layers"] > importance["training.optimizer.lr"]


def test_two_recipes_share_a_journal(tmp_path: Path) -> None:
    first = small_plan(tmp_path)
    with opened(first.file) as journal:
        run(opened_study(journal, first), 2)
        second = small_plan(tmp_path, changes=("name=second",))
        study = opened_study(journal, second)
        assert study.trials() == []
        run(study, 1)
    with opened(first.file) as journal:
        assert len(opened_study(journal, first).trials()) == 2


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"changes": ("model.dropout=0.5",)}, r"\(model.dropout is 0.0 there, 0.5 here\)"),
        ({"seeds": (5,)}, r"\(seeds is \[100, 101\] there, \[5\] here\)"),
        (
            {"space": {"model.hidden_channels": [2]}},
            r"\(space.model.hidden_channels is \[2, 4, 8\] there, \[2\] here\)",
        ),
    ],
)
def test_a_search_on_other_terms_is_refused(tmp_path: Path, changes: dict[str, Any], sentence: str) -> None:
    plan = small_plan(tmp_path)
    with opened(plan.file) as journal:
        opened_study(journal, plan)
    with opened(plan.file) as journal, pytest.raises(ValueError, match=sentence):
        opened_study(journal, small_plan(tmp_path, **changes))


def test_journals_of_others_and_of_other_releases_are_refused(tmp_path: Path) -> None:
    plan = small_plan(tmp_path)
    with opened(plan.file) as journal:
        theirs = optuna.create_study(storage=optuna.storages.JournalStorage(journal), study_name="small")
        theirs.ask()
    with opened(plan.file) as journal, pytest.raises(ValueError, match="trials of small that are not ours"):
        opened_study(journal, plan)
    plan.file.unlink()
    with opened(plan.file) as journal:
        opened_study(journal, plan)
    plan.file.write_text(plan.file.read_text().replace('"format_version":1,"metric"', '"format_version":2,"metric"'))
    with opened(plan.file) as journal, pytest.raises(ValueError, match="has format_version 2; this release reads 1"):
        opened_study(journal, plan)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"metric":"accuracy"', '"metrik":"accuracy"'),
        ('"terms":{', '"terms":5,"x":{'),
        ('"user_attr":{"draw":0}', '"user_attr":{"drawn":0}'),
        ('"config":{', '"confik":{'),
    ],
)
def test_a_study_that_makes_no_sense_is_one_sentence(tmp_path: Path, old: str, new: str) -> None:
    plan = small_plan(tmp_path)
    with opened(plan.file) as journal:
        run(opened_study(journal, plan), 1)
    text = plan.file.read_text()
    assert old in text
    plan.file.write_text(text.replace(old, new))
    with opened(plan.file) as journal, pytest.raises(ValueError, match="is damaged; give another --file"):
        opened_study(journal, plan)


@pytest.mark.parametrize("line", ['{"op_code":4}', '{"op_code":99,"worker_id":"a"}', '{"op_code":0,"worker_id":"a"}'])
def test_a_journal_that_makes_no_sense_is_one_sentence(tmp_path: Path, line: str) -> None:
    plan = small_plan(tmp_path)
    plan.file.parent.mkdir(parents=True)
    plan.file.write_text(line + "\n")
    with opened(plan.file) as journal, pytest.raises(ValueError, match="is damaged; give another --file"):
        opened_study(journal, plan)
