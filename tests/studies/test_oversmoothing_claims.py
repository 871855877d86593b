"""Sentences agree or do not, by the numbers."""

from __future__ import annotations

from agdn.experiments.result import Run
from agdn.studies.oversmoothing_claims import claims
from agdn.studies.study import Outcome


def outcomes(
    base: str, model: str, residual: bool, scores: list[float], seed: int = 0, metric: str = "accuracy"
) -> list[Outcome]:
    found = []
    for hops, score in zip((1, 4, 8), scores, strict=False):
        run = Run.model_construct(metric=metric, scores={"test": {metric: score / 100}}, seed=seed)
        found.append(Outcome({"base": base, "model": model, "residual": residual, "K": hops}, seed, {}, run))
    return found


HOPS = (1, 4, 8)


def test_what_agrees_and_what_does_not() -> None:
    found = [
        *outcomes("gat", "plain", False, [80, 60, 30]),
        *outcomes("sym", "plain", False, [80, 79, 70]),
        *outcomes("gat", "plain", True, [80, 80, 79]),
        *outcomes("gat", "mean", False, [78, 82, 70]),
        *outcomes("sym", "mean", False, [82, 81, 81]),
        *outcomes("gat", "HA", False, [81, 82, 81]),
        *outcomes("gat", "HC", False, [81, 70, 60]),
        *outcomes("gat", "mean", True, [80, 82, 81]),
        *outcomes("sym", "HA", False, [81, 82]),
    ]
    rows = {(claim, base): (told, agrees) for claim, base, told, agrees in claims(found, HOPS).rows}
    assert rows["deep plain stacks fall, without residual", "gat"] == ("80.0 at K = 1, 30.0 at K = 8", "yes")
    assert rows["GAT's fall is the deepest, without residual", "gat"] == ("gat by 50.0, sym by 10.0", "yes")
    assert rows["deep plain stacks fall, with residual", "gat"][1] == "no"
    assert rows["without residual mean rises, then falls clearly", "gat"][1] == "yes"
    assert rows["without residual mean rises, then falls clearly", "sym"][1] == "no"
    assert rows["without residual HA stays flat", "gat"] == ("best 82.0 at K = 4, 81.0 last", "yes")
    assert ("without residual HA stays flat", "sym") not in rows, "a course with gaps says nothing"
    assert rows["without residual HC stays flat", "gat"][1] == "no"
    assert rows["without residual HC lies below the shallow stack", "gat"][1] == "no"
    assert rows["with residual mean improves", "gat"] == ("+4.3 on average over K", "yes")
    assert rows["with residual mean hardly falls", "gat"][1] == "yes"


def test_of_errors_nothing_is_said() -> None:
    assert claims(outcomes("gat", "plain", False, [80, 60, 30], metric="mae"), HOPS).rows == []


def test_one_depth_says_nothing() -> None:
    assert claims(outcomes("gat", "plain", False, [80]), [1]).rows == []


def test_what_lies_within_the_noise_of_the_seeds_is_not_clear() -> None:
    found = [
        *outcomes("row", "HA", False, [80, 80, 80], seed=0),
        *outcomes("row", "HA", False, [80, 80, 70], seed=1),
        *outcomes("row", "HA", True, [82, 82, 82], seed=0),
        *outcomes("row", "HA", True, [76, 76, 76], seed=1),
        *outcomes("sym", "HA", False, [80, 80, 80], seed=0),
        *outcomes("sym", "HA", False, [80, 80, 80], seed=1),
        *outcomes("sym", "HA", True, [78, 78, 78], seed=0),
        *outcomes("sym", "HA", True, [77.95, 77.95, 77.95], seed=1),
    ]
    rows = {(claim, base): (told, agrees) for claim, base, told, agrees in claims(found, HOPS).rows}
    assert rows["with residual HA improves", "row"][1] == "not clear"
    assert rows["without residual HA stays flat", "row"] == ("best 80.0 at K = 1, 75.0 last", "not clear")
    assert rows["with residual HA improves", "sym"] == ("-2.0 ± 0.0 on average over K", "no")
    assert rows["without residual HA stays flat", "sym"][1] == "yes"


def test_the_three_weightings_beside_each_other() -> None:
    found = [
        *outcomes("gat", "mean", False, [78, 82, 70]),
        *outcomes("gat", "HA", False, [80, 81, 81]),
        *outcomes("gat", "mean", True, [78, 82, 81]),
        *outcomes("gat", "HA", True, [81, 82, 81]),
        *outcomes("gat", "HC", True, [80, 81, 81]),
    ]
    rows = {claim: (told, agrees) for claim, _, told, agrees in claims(found, HOPS).rows}
    assert rows["without residual HA comes up to the best of mean"] == ("HA at best 81.0, mean at best 82.0", "yes")
    assert rows["with residual mean, HA and HC are close"][1] == "yes"
    assert rows["with residual HA is best at small K"] == ("mean 78.0, HA 81.0, HC 80.0 at K = 1", "yes")


def test_a_course_that_is_not_complete_says_nothing() -> None:
    assert claims(outcomes("gat", "plain", False, [80, 70]), HOPS).rows == []
