"""What the ablation found: a table a set with paired tests, and the differences of every seed as a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agdn.experiments.result import SHARES, Run
from agdn.report.charts.drawing import drawing
from agdn.report.charts.frame import BOTTOM
from agdn.report.charts.strip import ROW, TOP, WIDTH, StripRow, strip
from agdn.report.rounding import unit
from agdn.report.sections.section import style_of
from agdn.studies.gathering import percent_on, spread, values_of, where
from agdn.studies.page import Figure, Page, Table
from agdn.studies.paired import Paired, holm, paired
from agdn.studies.study import Outcome

REFERENCE = "AGDN"
HEADER = (
    "group",
    "row",
    "seeds",
    "valid",
    "test",
    "minus AGDN",
    "t-test p",
    "Wilcoxon p",
    "t-test p, Holm",
    "parameters",
)


def ablation_page(settings: Any, outcomes: Sequence[Outcome]) -> Page:
    text = [
        f"The reference is an AGDN with HA over {settings.hops} hops, transition gat, residual and positional "
        "embedding in the frame of each set's recipe (data, task, training, width, heads, layers, dropouts); a row "
        "changes what it names and nothing else. GAT is the same network with the single hop 1.",
        "`minus AGDN` is the mean difference on the same seeds with its standard error; p values are two-sided, of the "
        "paired t-test and of Wilcoxon's signed ranks, and Holm's adjustment is over the rows of a set.",
    ]
    parts: list[Table | Figure] = []
    for name in values_of(outcomes, "set"):
        group = where(outcomes, set=name)
        parts += _of_set(str(name), group)
    return Page("Ablation", text, parts)


def _of_set(name: str, outcomes: Sequence[Outcome]) -> list[Table | Figure]:
    key, metric = name.replace("/", "-"), outcomes[0].trained.metric
    test = percent_on("test")
    by_row = {row: {each.seed: test(each) for each in where(outcomes, row=row)} for row in values_of(outcomes, "row")}
    reference = by_row.get(REFERENCE, {})
    tests = {row: paired(values, reference) for row, values in by_row.items() if row != REFERENCE}
    adjusted = dict(zip(tests, holm([each.t_test if each else None for each in tests.values()]), strict=True))
    rows = [_row(row, where(outcomes, row=row), tests.get(row), adjusted.get(row)) for row in by_row]
    data = str(outcomes[0].trained.dataset["name"])
    parts: list[Table | Figure] = [Table(key, f"{data}: {unit(metric)}, frame of {name}", HEADER, rows, _bare(by_row))]
    compared = {row: each for row, each in tests.items() if each is not None}
    if compared:
        parts.append(_figure(key, f"{data}: differences from AGDN, seed by seed", compared, outcomes[0].trained))
    return parts


def _row(row: str, outcomes: Sequence[Outcome], test: Paired | None, adjusted: float | None) -> list[str]:
    group = str(outcomes[0].facts.get("group", "reference"))
    scores = [spread(outcomes, percent_on(part)) for part in ("valid", "test")]
    told = ["", "", "", ""]
    if test is not None:
        told = [difference(test), *(p_value(p) for p in (test.t_test, test.wilcoxon, adjusted))]
    return [group, row, str(len(outcomes)), *scores, *told, f"{outcomes[0].trained.parameters:,}"]


def _bare(by_row: Mapping[Any, Mapping[int, float]]) -> str:
    """The other pair with equal settings, of which neither is the reference."""
    gat, ours = (by_row.get(row, {}) for row in ("GAT, no residual", "no residual"))
    test = paired(gat, ours)
    if test is None:
        return ""
    said = f"Without residual in both, GAT minus AGDN is {difference(test)}"
    if test.t_test is not None:
        said += f" (t-test p {p_value(test.t_test)}, Wilcoxon p {p_value(test.wilcoxon)}; not in Holm's adjustment)"
    return said + "."


def difference(test: Paired) -> str:
    return f"{test.mean:+.2f}" + ("" if test.error is None else f" ± {test.error:.2f}")


def p_value(p: float | None) -> str:
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _figure(key: str, title: str, tests: dict[str, Paired], run: Run) -> Figure:
    rows = [
        StripRow(row, style_of(place), test.seeds, test.differences, test.mean, test.error)
        for place, (row, test) in enumerate(tests.items())
    ]
    chart = strip(title, "percentage points" if run.metric in SHARES else run.metric, rows, even=0.0)
    size = (WIDTH, TOP + ROW * len(rows) + BOTTOM)
    ahead = "right" if run.higher_is_better else "left"
    said = (
        f"Dots are seeds, the bar their mean, its shade the standard error; {ahead} of the line a row is ahead of AGDN."
    )
    return Figure(key, title, drawing(title, [(title, chart)], size=size), said)
