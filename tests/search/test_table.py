from pathlib import Path

from agdn.search.found import Final, Found, Trial
from agdn.search.table import counts_line, ended_line, importance_table, trials_table

SETTING = {"model.hops": 8, "model.weighting": {"name": "HA"}, "training.optimizer.lr": 0.0123456, "model.norm": "none"}
WRITTEN = 'model.hops=8 model.weighting={"name": "HA"} training.optimizer.lr=0.01235 model.norm=none'
BEST = Trial(2, "complete", SETTING, 0.5, (0.5,), None, 3.21, Final((7, 8), (0.5, 0.75)))
SECOND = Trial(0, "complete", SETTING, 0.25, (0.25,), None, 1.0)
PRUNED = Trial(1, "pruned", SETTING, 0.125, (), None, 1.0)
FAILED = Trial(3, "failed", SETTING, None, (), "it burnt", 1.0)


def found(metric: str = "accuracy") -> Found:
    return Found(
        name="small",
        metric=metric,
        seeds=(1,),
        final_seeds=(7, 8),
        trials=(SECOND, PRUNED, BEST, FAILED),
        ranked=(BEST, SECOND),
        recipe=Path("tuned.yaml"),
        importance={"model.hops": 0.75, "model.norm": 0.25},
    )


def test_the_best_first_with_both_scores() -> None:
    header, rows = trials_table(found())
    assert header == ("trial", "valid accuracy %", "valid accuracy %, final seeds", "seconds", "setting")
    assert rows == [("2", "50.00", "62.50", "3.2", WRITTEN), ("0", "25.00", "", "1.0", WRITTEN)]
    assert trials_table(found("mae"))[1][0][1:3] == ("0.5000", "0.6250")


def test_what_matters() -> None:
    assert importance_table(found())[1] == [("model.hops", "75 %"), ("model.norm", "25 %")]


def test_one_line_for_every_end() -> None:
    assert ended_line("accuracy", SECOND) == f"trial 0: valid accuracy 25.00, {WRITTEN}"
    assert ended_line("accuracy", PRUNED) == f"trial 1: pruned, valid accuracy 12.50, {WRITTEN}"
    assert ended_line("accuracy", BEST) == f"trial 2: final, valid accuracy 62.50, {WRITTEN}"
    assert ended_line("accuracy", FAILED) == "trial 3 failed: it burnt"


def test_how_many_of_each() -> None:
    assert counts_line(found()) == "4 trials: 2 complete, 1 pruned, 1 failed; the best is tuned.yaml"


def test_as_json() -> None:
    content = found().to_json()
    assert content["best"]["final"] == {"seeds": (7, 8), "scores": (0.5, 0.75), "reason": None, "score": 0.625}
    assert [trial["state"] for trial in content["trials"]] == ["complete", "pruned", "complete", "failed"]
    assert Final.from_json(content["best"]["final"]) == BEST.final
