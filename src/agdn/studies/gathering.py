"""Outcomes in groups: means over the seeds for tables, curves over the seeds for figures."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

from agdn.report.gather.curves import Curve, combined
from agdn.studies.study import Outcome

Value = Callable[[Outcome], float]


def where(outcomes: Iterable[Outcome], **facts: Any) -> list[Outcome]:
    """Those with these facts."""
    return [each for each in outcomes if all(each.facts.get(key) == value for key, value in facts.items())]


def values_of(outcomes: Iterable[Outcome], fact: str) -> list[Any]:
    """What a fact can be, in the order in which it comes."""
    return list(dict.fromkeys(each.facts[fact] for each in outcomes if fact in each.facts))


def grouped(outcomes: Sequence[Outcome], *facts: str) -> list[tuple[tuple[Any, ...], list[Outcome]]]:
    """The values of some facts with the outcomes that have them, those of the first fact together."""
    combinations = product(*(values_of(outcomes, fact) for fact in facts))
    found = ((values, where(outcomes, **dict(zip(facts, values, strict=True)))) for values in combinations)
    return [(values, group) for values, group in found if group]


def mean_of(outcomes: Sequence[Outcome], value: Value) -> float | None:
    """Over the seeds; None of none."""
    return statistics.fmean(map(value, outcomes)) if outcomes else None


def spread(outcomes: Sequence[Outcome], value: Value, *, digits: int = 2) -> str:
    """``81.20 ± 0.40``, mean and unbiased deviation over the seeds; a dash where there is none yet."""
    if not outcomes:
        return "-"
    numbers = [value(each) for each in outcomes]
    text = f"{statistics.fmean(numbers):.{digits}f}"
    return text if len(numbers) == 1 else f"{text} ± {statistics.stdev(numbers):.{digits}f}"


def curve_along(outcomes: Sequence[Outcome], fact: str, value: Value) -> Curve | None:
    """A value along a fact that is a number, with its range over the seeds."""
    seeds = sorted({each.seed for each in outcomes})
    return combined([{each.facts[fact]: value(each) for each in outcomes if each.seed == seed} for seed in seeds])  # type: ignore[misc]


def percent_on(part: str) -> Value:
    """The official score on a part, in percent where it is a share."""
    from agdn.report.rounding import scale

    return lambda each: scale(each.trained.metric) * each.trained.score(part)  # type: ignore[arg-type]
