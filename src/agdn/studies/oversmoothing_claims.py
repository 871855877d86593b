"""The paper's sentences about over-smoothing, each beside the numbers that agree with it or do not.

Test scores in percent, means over the seeds; a curve counts as flat where its end lies within two points of its best,
and what the residual gives as clear where it is more than twice its standard error over the seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agdn.studies.gathering import mean_of, percent_on, values_of, where
from agdn.studies.page import Table
from agdn.studies.paired import paired
from agdn.studies.study import Outcome

PLAIN = "plain"
FLAT = 2.0  # points
CLEAR = 2.0  # standard errors
HEADER = ("the paper says", "base", "these runs", "agrees")
Row = tuple[str, str, str, str]


class Courses:
    """Scores along K, by base, model and residual; a course that is not complete is empty."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        self._outcomes = outcomes
        self.hops = sorted(values_of(outcomes, "K"))
        self.bases = values_of(outcomes, "base")

    def of(self, base: str, model: str, residual: bool) -> list[float]:
        group = where(self._outcomes, base=base, model=model, residual=residual)
        found = [mean_of(where(group, K=hops), percent_on("test")) for hops in self.hops]
        return [each for each in found if each is not None] if None not in found else []

    def by_seed(self, base: str, model: str, residual: bool) -> dict[int, float]:
        """The mean over K of every seed that has all of them."""
        group = where(self._outcomes, base=base, model=model, residual=residual)
        seeds = {each.seed: [other for other in group if other.seed == each.seed] for each in group}
        means = {seed: mean_of(own, percent_on("test")) for seed, own in seeds.items() if len(own) == len(self.hops)}
        return {seed: mean for seed, mean in means.items() if mean is not None}

    def at(self, value: float, course: Sequence[float]) -> int:
        return int(self.hops[course.index(value)])


def claims(outcomes: Sequence[Outcome]) -> Table:
    """A row a sentence and base."""
    courses = Courses(outcomes)
    rows = [row for claim in CLAIMS for row in claim(courses)] if len(courses.hops) > 1 else []
    return Table("claims", "The paper's claims", HEADER, rows)


def _stacks_fall(courses: Courses) -> Iterator[Row]:
    for residual in (False, True):
        falls = {base: course for base in courses.bases if (course := courses.of(base, PLAIN, residual))}
        what = f"deep plain stacks fall, {_residual(residual)}"
        for base, course in falls.items():
            told = f"{course[0]:.1f} at K = {courses.hops[0]}, {course[-1]:.1f} at K = {courses.hops[-1]}"
            yield what, base, told, _agrees(course[-1] < course[0] - FLAT)
        if len(falls) > 1 and "gat" in falls:
            fallen = {base: course[0] - course[-1] for base, course in falls.items()}
            told = ", ".join(f"{base} by {fall:.1f}" for base, fall in fallen.items())
            yield (
                f"GAT's fall is the deepest, {_residual(residual)}",
                "gat",
                told,
                _agrees(fallen["gat"] == max(fallen.values())),
            )


def _bare_mean_rises_then_falls(courses: Courses) -> Iterator[Row]:
    for base in courses.bases:
        if course := courses.of(base, "mean", False):
            best = max(course)
            told = f"{course[0]:.1f} first, best {best:.1f} at K = {courses.at(best, course)}, {course[-1]:.1f} last"
            rises_and_falls = best > course[0] and course[-1] < best - FLAT
            yield "without residual mean rises, then falls clearly", base, told, _agrees(rises_and_falls)


def _bare_adaptive_ones_stay_flat(courses: Courses) -> Iterator[Row]:
    for model in ("HA", "HC"):
        for base in courses.bases:
            if course := courses.of(base, model, False):
                best = max(course)
                told = f"best {best:.1f} at K = {courses.at(best, course)}, {course[-1]:.1f} last"
                yield f"without residual {model} stays flat", base, told, _agrees(course[-1] >= best - FLAT)


def _bare_hc_is_lowest(courses: Courses) -> Iterator[Row]:
    for base in courses.bases:
        course, plain = courses.of(base, "HC", False), courses.of(base, PLAIN, False)
        if course and plain:
            told = f"HC at best {max(course):.1f}, the shallow stack {plain[0]:.1f}"
            yield "without residual HC lies below the shallow stack", base, told, _agrees(max(course) < plain[0])


def _residual_improves(courses: Courses) -> Iterator[Row]:
    for model in (PLAIN, "mean", "HA", "HC"):
        for base in courses.bases:
            gain = paired(courses.by_seed(base, model, True), courses.by_seed(base, model, False))
            if gain is not None:
                error = gain.error or 0.0
                told = f"{gain.mean:+.1f}{f' ± {error:.1f}' if error else ''} on average over K"
                clear = abs(gain.mean) > CLEAR * error
                yield f"with residual {model} improves", base, told, _agrees(gain.mean > 0) if clear else "not clear"


def _residual_keeps_mean_up(courses: Courses) -> Iterator[Row]:
    for base in courses.bases:
        if course := courses.of(base, "mean", True):
            told = f"best {max(course):.1f}, last {course[-1]:.1f}"
            yield "with residual mean hardly falls", base, told, _agrees(course[-1] >= max(course) - FLAT)


CLAIMS: tuple[Callable[[Courses], Iterator[Row]], ...] = (
    _stacks_fall,
    _bare_mean_rises_then_falls,
    _bare_adaptive_ones_stay_flat,
    _bare_hc_is_lowest,
    _residual_improves,
    _residual_keeps_mean_up,
)


def _residual(residual: bool) -> str:
    return "with residual" if residual else "without residual"


def _agrees(whether: Any) -> str:
    return "yes" if whether else "no"
