"""The paper's sentences about over-smoothing, each beside the numbers that agree with it or do not.

Test scores in percent; of scores that are no shares, such as errors, nothing is said. Every sentence is about a
difference, taken seed by seed: it is judged by the mean, and is not clear where the mean lies within the t-test's 95 %
interval of the bound. One seed has no such interval, and the sign decides. A curve counts as flat where its end lies
within two points of its best.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence

from agdn.experiments.result import SHARES
from agdn.studies.gathering import percent_on, values_of, where
from agdn.studies.page import Table
from agdn.studies.paired import Paired, paired
from agdn.studies.study import Outcome

PLAIN = "plain"
ADAPTED = ("mean", "HA", "HC")
FLAT = 2.0  # points
HEADER = ("the paper says", "base", "these runs", "agrees")
Row = tuple[str, str, str, str]


class Course:
    """Scores along K: ``by_seed`` of every seed that has all of them, and their ``mean``."""

    def __init__(self, by_seed: dict[int, list[float]]) -> None:
        self.by_seed = by_seed
        self.mean = [statistics.fmean(scores) for scores in zip(*by_seed.values(), strict=True)]
        self.best = self.mean.index(max(self.mean))

    def at(self, place: int) -> dict[int, float]:
        return {seed: scores[place] for seed, scores in self.by_seed.items()}

    def fall(self, start: int) -> dict[int, float]:
        """From a place to the end."""
        return {seed: scores[start] - scores[-1] for seed, scores in self.by_seed.items()}

    def over_hops(self) -> dict[int, float]:
        return {seed: statistics.fmean(scores) for seed, scores in self.by_seed.items()}


class Courses:
    """By base, model and residual, along ``hops``."""

    def __init__(self, outcomes: Sequence[Outcome], hops: Sequence[int]) -> None:
        self._outcomes = outcomes
        self.hops = sorted(hops)
        self.bases = values_of(outcomes, "base")

    def of(self, base: str, model: str, residual: bool) -> Course | None:
        """None while no seed is complete."""
        score = percent_on("test")
        found: dict[int, dict[int, float]] = {}
        for each in where(self._outcomes, base=base, model=model, residual=residual):
            found.setdefault(each.seed, {})[int(each.facts["K"])] = score(each)
        complete = {
            seed: [scores[hops] for hops in self.hops]
            for seed, scores in found.items()
            if all(hops in scores for hops in self.hops)
        }
        return Course(complete) if complete else None

    def told(self, model: str, residual: bool) -> Iterator[tuple[str, Course]]:
        """Bases whose course is complete."""
        for base in self.bases:
            if (course := self.of(base, model, residual)) is not None:
                yield base, course


def claims(outcomes: Sequence[Outcome], hops: Sequence[int]) -> Table:
    """A row a sentence and base, of courses that are complete."""
    courses = Courses(outcomes, hops)
    judged = len(courses.hops) > 1 and outcomes[0].trained.metric in SHARES
    rows = [row for claim in CLAIMS for row in claim(courses)] if judged else []
    return Table("claims", "The paper's claims", HEADER, rows)


def _stacks_fall(courses: Courses) -> Iterator[Row]:
    for residual in (False, True):
        stacks = dict(courses.told(PLAIN, residual))
        for base, course in stacks.items():
            told = f"{course.mean[0]:.1f} at K = {courses.hops[0]}, {course.mean[-1]:.1f} at K = {courses.hops[-1]}"
            yield f"deep plain stacks fall, {_residual(residual)}", base, told, _exceeds(course.fall(0), FLAT)
        falls = {base: course.fall(0) for base, course in stacks.items()}
        others = [base for base in falls if base != "gat"]
        if "gat" in falls and others:
            size = {base: statistics.fmean(fall.values()) for base, fall in falls.items()}
            told = ", ".join(f"{base} by {fall:.1f}" for base, fall in size.items())
            next_deepest = max(others, key=size.__getitem__)
            agrees = _exceeds(falls["gat"], 0, than=falls[next_deepest])
            yield f"GAT's fall is the deepest, {_residual(residual)}", "gat", told, agrees


def _bare_mean_rises_then_falls(courses: Courses) -> Iterator[Row]:
    for base, course in courses.told("mean", False):
        told = f"{course.mean[0]:.1f} first, {_best(courses, course)}, {course.mean[-1]:.1f} last"
        rises = _exceeds(course.at(course.best), 0, than=course.at(0)) if course.best else NO
        falls = _exceeds(course.fall(course.best), FLAT)
        yield "without residual mean rises, then falls clearly", base, told, _both(rises, falls)


def _bare_adaptive_ones_stay_flat(courses: Courses) -> Iterator[Row]:
    for model in ("HA", "HC"):
        for base, course in courses.told(model, False):
            told = f"{_best(courses, course)}, {course.mean[-1]:.1f} last"
            yield f"without residual {model} stays flat", base, told, _not(_exceeds(course.fall(course.best), FLAT))


def _bare_ha_comes_up_to_mean(courses: Courses) -> Iterator[Row]:
    for base, course in courses.told("HA", False):
        if (mean := courses.of(base, "mean", False)) is not None:
            told = f"HA at best {max(course.mean):.1f}, mean at best {max(mean.mean):.1f}"
            agrees = _exceeds(course.at(course.best), -FLAT, than=mean.at(mean.best))
            yield "without residual HA comes up to the best of mean", base, told, agrees


def _bare_hc_is_lowest(courses: Courses) -> Iterator[Row]:
    for base, course in courses.told("HC", False):
        if (plain := courses.of(base, PLAIN, False)) is not None:
            told = f"HC at best {max(course.mean):.1f}, the shallow stack {plain.mean[0]:.1f}"
            agrees = _exceeds(plain.at(0), 0, than=course.at(course.best))
            yield "without residual HC lies below the shallow stack", base, told, agrees


def _residual_improves(courses: Courses) -> Iterator[Row]:
    for model in (PLAIN, *ADAPTED):
        for base, course in courses.told(model, True):
            bare = courses.of(base, model, False)
            gain = None if bare is None else paired(course.over_hops(), bare.over_hops())
            if gain is not None:
                error = "" if gain.error is None else f" ± {gain.error:.1f}"
                told = f"{gain.mean:+.1f}{error} on average over K"
                yield f"with residual {model} improves", base, told, _judged(gain, 0)


def _residual_keeps_mean_up(courses: Courses) -> Iterator[Row]:
    for base, course in courses.told("mean", True):
        told = f"best {max(course.mean):.1f}, last {course.mean[-1]:.1f}"
        yield "with residual mean hardly falls", base, told, _not(_exceeds(course.fall(course.best), FLAT))


def _residual_makes_all_alike(courses: Courses) -> Iterator[Row]:
    for base in courses.bases:
        found = {model: course for model in ADAPTED if (course := courses.of(base, model, True)) is not None}
        if len(found) < len(ADAPTED):
            continue
        size = {model: statistics.fmean(course.mean) for model, course in found.items()}
        ranked = sorted(found, key=size.__getitem__)
        told = ", ".join(f"{model} {size[model]:.1f}" for model in ADAPTED) + " on average over K"
        apart = _exceeds(found[ranked[-1]].over_hops(), FLAT, than=found[ranked[0]].over_hops())
        yield "with residual mean, HA and HC are close", base, told, _not(apart)
        firsts = {model: course.at(0) for model, course in found.items()}
        start = {model: course.mean[0] for model, course in found.items()}
        rival = max(("mean", "HC"), key=start.__getitem__)
        told = ", ".join(f"{model} {start[model]:.1f}" for model in ADAPTED) + f" at K = {courses.hops[0]}"
        yield "with residual HA is best at small K", base, told, _exceeds(firsts["HA"], 0, than=firsts[rival])


CLAIMS: tuple[Callable[[Courses], Iterator[Row]], ...] = (
    _stacks_fall,
    _bare_mean_rises_then_falls,
    _bare_adaptive_ones_stay_flat,
    _bare_ha_comes_up_to_mean,
    _bare_hc_is_lowest,
    _residual_improves,
    _residual_keeps_mean_up,
    _residual_makes_all_alike,
)

YES, NO, OPEN = "yes", "no", "not clear"


def _exceeds(values: dict[int, float], least: float, *, than: dict[int, float] | None = None) -> str:
    """Whether values by seed lie more than ``least`` above others."""
    found = paired(values, dict.fromkeys(values, 0.0) if than is None else than)
    return OPEN if found is None else _judged(found, least)


def _judged(found: Paired, least: float) -> str:
    from scipy import stats

    beyond = found.mean - least
    if found.error is not None and abs(beyond) <= stats.t.ppf(0.975, len(found.seeds) - 1) * found.error:
        return OPEN
    return YES if beyond > 0 else NO


def _not(agrees: str) -> str:
    return {YES: NO, NO: YES, OPEN: OPEN}[agrees]


def _both(first: str, second: str) -> str:
    return NO if NO in (first, second) else OPEN if OPEN in (first, second) else YES


def _best(courses: Courses, course: Course) -> str:
    return f"best {max(course.mean):.1f} at K = {courses.hops[course.best]}"


def _residual(residual: bool) -> str:
    return "with residual" if residual else "without residual"
