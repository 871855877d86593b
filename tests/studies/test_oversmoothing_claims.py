"""Sentences agree or do not, by the numbers."""

from __future__ import annotations

from agdn.experiments.result import Run
from agdn.studies.oversmoothing_claims import claims
from agdn.studies.study import Outcome


def outcomes(base: str, model: str, residual: bool, scores: list[float], seed: int = 0) -> list[Outcome]:
    found = []
    for hops, score in zip((1, 4, 8), scores, strict=False):
        run = Run.model_construct(metric="accuracy", scores={"test": {"accuracy": score / 100}}, seed=seed)
        found.append(Outcome({"base": base, "model": model, "residual": residual, "K": hops}, seed, {}, run))
    return found


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
    rows = {(claim, base): (told, agrees) for claim, base, told, agrees in claims(found).rows}
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


def test_one_depth_says_nothing() -> None:
    assert claims(outcomes("gat", "plain", False, [80])).rows == []


def test_a_gain_within_the_noise_of_the_seeds_is_not_clear() -> None:
    found = [
        *outcomes("row", "HA", False, [80, 80, 80], seed=0),
        *outcomes("row", "HA", False, [80, 80, 80], seed=1),
        *outcomes("row", "HA", True, [82, 82, 82], seed=0),
        *outcomes("row", "HA", True, [79, 79, 79], seed=1),
        *outcomes("sym", "HA", False, [80, 80, 80], seed=0),
        *outcomes("sym", "HA", False, [80, 80, 80], seed=1),
        *outcomes("sym", "HA", True, [78, 78, 78], seed=0),
        *outcomes("sym", "HA", True, [77.6, 77.6, 77.6], seed=1),
    ]
    rows = {(claim, base): (told, agrees) for claim, base, told, agrees in claims(found).rows}
    assert rows["with residual HA improves", "row"] == ("+0.5 ± 1.5 on average over K", "not clear")
    assert rows["with residual HA improves", "sym"] == ("-2.2 ± 0.2 on average over K", "no")
