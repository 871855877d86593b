"""How far the scores of edges and of other pairs lie apart."""

from __future__ import annotations

from agdn.report.charts.lines import Along, Line, LineChart
from agdn.report.gather.curves import Curve
from agdn.report.gather.link_merit import nth_best, official_k
from agdn.report.gather.report import Recipe, Report
from agdn.report.gather.score_shares import ScoreShares
from agdn.report.markup import joined
from agdn.report.rounding import percent, short
from agdn.report.sections.section import Section, figure, figures, legend, paragraph, style_of

NAMES = ("test edges", "test negatives")


def link_scores(report: Report) -> Section | None:
    found = [
        (_chart(f"scores-{index}", recipe, links.scores), _notes(links.scores))
        for index, recipe in enumerate(report.recipes)
        if (links := recipe.findings.links) is not None
    ]
    if not found:
        return None
    body = joined(
        paragraph(
            "Negatives are pairs of nodes that no edge joins. The less the two overlap, the better edges are told "
            "from them. Each line is the share of its own kind, step by step of the score."
        ),
        legend([(style_of(place), name) for place, name in enumerate(NAMES)]),
        figures([figure(chart.title, chart.svg(), *notes) for chart, notes in found]),
    )
    data = {"curves": {chart.key: chart.data() for chart, _ in found}}
    return Section("separation", "Scores of edges and negatives", body, data)


def _chart(key: str, recipe: Recipe, scores: ScoreShares) -> LineChart:
    places = tuple(map(float, scores.middles))
    lines = [
        Line(name, style_of(place), _curve(places, tuple(100 * share for share in shares.tolist())), filled=True)
        for place, (name, shares) in enumerate(zip(NAMES, (scores.edges, scores.negatives), strict=True))
    ]
    k, least = official_k(recipe.result.metric), scores.threshold
    there = least is not None and (least > 0 or not scores.logarithmic)
    mark = (least, nth_best(k)) if least is not None and k is not None and there else None
    medians = [f"median of {name} {short(value)}" for name, value in zip(NAMES, scores.medians, strict=True)]
    beaten = [] if mark is None else [f"{mark[1]} {short(mark[0])}"]
    along = Along("score", logarithmic=scores.logarithmic, mark=mark)
    title = f"{recipe.label}, seed {scores.seed}"
    return LineChart(key, title, "share in %", lines, along=along, said="; ".join(medians + beaten))


def _curve(places: tuple[float, ...], shares: tuple[float, ...]) -> Curve:
    return Curve(places, shares, shares, shares, tuple(1 for _ in shares))


def _notes(scores: ScoreShares) -> list[str]:
    notes = []
    if scores.beyond:
        lie = "score lies outside and is" if scores.beyond == 1 else "scores lie outside and are"
        notes.append(f"{scores.beyond:,} {lie} counted at the ends.")
    if scores.logarithmic and max(scores.zeros):
        shares = " and ".join(f"{percent(share)} of {name}" for share, name in zip(scores.zeros, NAMES, strict=True))
        notes.append(f"{shares} have the score 0, which has no place here.")
    return notes
