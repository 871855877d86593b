"""Explanations as one HTML page: for each node a picture, tables, and what happens without what was named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agdn.data.atomic import write_bytes
from agdn.explain.attribution import Attribution
from agdn.explain.deletion import Deletion
from agdn.explain.explanation import Explanations, NodeExplanation
from agdn.explain.picture import LEGEND, drawn_rows, picture
from agdn.report.charts.lines import Along, Line, LineChart
from agdn.report.document import document
from agdn.report.gather.curves import Curve
from agdn.report.markup import Markup, joined
from agdn.report.rounding import short
from agdn.report.sections.section import Section, figure, figures, legend, paragraph, style_of, table

COMMAND = "agdn explain"
SMOOTHED = "Predictions of this run are corrected and smoothed afterwards; the model's own are explained."
ROUNDING = 1e-5  # of the score: what is smaller is float32's
METHODS = {
    "walk": "Walks are followed back from the node through all layers: attention along every step times the weights "
    "of the hops, with what each node's features gave. Attention, weights and activations are held at what they were; "
    "then the parts add up to the score.",
    "gradients": "Integrated gradients, from no features (for edges: from no edges) to those that are there.",
}
PART_HEADER = ("node", "steps away", "most after", "own features", "handed on", "prediction", "label", "part")
LINES = (
    ("named", "what the explanation names"),
    ("as_near", "random, as near"),
    ("anywhere", "random, anywhere in reach"),
)


def write_explanations(found: Explanations, out: Path) -> None:
    write_bytes(out, page(found).encode())


def page(found: Explanations) -> str:
    """The same explanations give the same page."""
    names = ", ".join(each.id for each in found.nodes)
    data = found.dataset
    lead = f"{data.name}: {data.graph.num_nodes:,} nodes and {data.graph.num_edges:,} edges. {METHODS[found.method]}"
    if found.smoothed:
        lead += f" {SMOOTHED}"
    sections = [_section(place, each, found) for place, each in enumerate(found.nodes)]
    run = found.trained.run
    title = f"Why node{'s' * (len(found.nodes) > 1)} {names}: {run.name}"
    return document(sections, command=COMMAND, title=title, lead=lead, source=f"{run.name}, seed {run.seed}")


def part_rows(each: NodeExplanation) -> list[tuple[str, ...]]:
    """Of the table of nodes."""
    return [
        (
            part.id,
            str(part.distance),
            "" if part.hop is None else f"{part.hop} step{'s' * (part.hop != 1)}",
            signed(part.own),
            "" if part.handed is None else signed(part.handed),
            part.predicted,
            part.label,
            part.part,
        )
        for part in each.parts
    ]


def signed(share: float) -> str:
    return f"{100 * share:+.1f} %"


def _section(place: int, each: NodeExplanation, found: Explanations) -> Section:
    graph = found.dataset.graph
    ids = found.dataset.node_ids
    names = {row: str(row if ids is None else ids[row]) for row in drawn_rows(each, graph)}
    drawn = picture(each, graph, names)
    charts = [_deletion_chart(f"without-{place}-{check.kind}", check) for check in each.deletions]
    content: list[Markup] = [
        _sentence(each, found),
        legend(LEGEND),
        figure(
            "Who carried it",
            drawn,
            "Lines are as wide as what edges carried, dots as large as what features gave; point at them for shares.",
        ),
        table("Nodes that handed on most", PART_HEADER, part_rows(each)),
        figures(_hop_table(each), _edge_table(each)),
    ]
    if charts:
        content += [
            paragraph(
                "The same model asked again without the nodes or edges that speak most for the answer, and without as "
                "many random ones."
            ),
            legend([(style_of(index), name) for index, (_, name) in enumerate(LINES)]),
            figures([figure(chart.title, chart.svg()) for chart in charts]),
        ]
    data: dict[str, Any] = {"curves": {chart.key: chart.data() for chart in charts}}
    return Section(f"node-{place}", f"Node {each.id}", joined(content), data)


def _sentence(each: NodeExplanation, found: Explanations) -> Markup:
    numeric = found.trained.output.target == "numeric"
    said = each.question.answer + ("" if numeric else f", with probability {100 * each.value:.1f} %")
    if each.question.predicted:
        about = f"Predicted: {said}"
    else:
        about = f"Explained: {said}. Predicted: {each.parts[0].predicted}"
    truth = "not known" if each.label == "unknown" else each.label
    score = each.attribution
    from_features = score.score - score.constant - score.missing
    constant = score.constant if abs(score.constant) > ROUNDING * abs(from_features) else 0.0
    return paragraph(
        f"{about}. True: {truth}. The score {short(score.score)} is {short(from_features)} from features of "
        f"nodes and {short(constant)} that is there without them{_missing(score)}."
    )


def _missing(score: Attribution) -> str:
    if abs(score.missing) <= ROUNDING * abs(score.score - score.constant):
        return ""
    return f"; {short(score.missing)} is the error of the integral, less with more --steps"


def _hop_table(each: NodeExplanation) -> Markup:
    rows = [(str(hop), signed(pro), signed(con), signed(pro + con)) for hop, (pro, con) in enumerate(each.hops)]
    title = "By steps on the way" if each.attribution.follows_ways else "By distance"
    return table(title, ("steps", "for", "against", "together"), rows)


def _edge_table(each: NodeExplanation) -> Markup | None:
    if not each.edges:
        return None
    rows = [(edge.source, edge.target, signed(edge.share)) for edge in each.edges]
    return table("Edges that carried most", ("from", "to", "share"), rows)


def _deletion_chart(key: str, check: Deletion) -> LineChart:
    lines = [
        Line(name, style_of(index), _curve(check, np.atleast_2d(getattr(check, values))))
        for index, (values, name) in enumerate(LINES)
    ]
    return LineChart(key, f"Without {check.kind}", "what is predicted", lines, along=Along(f"{check.kind} taken out"))


def _curve(check: Deletion, values: np.ndarray) -> Curve:
    def with_whole(row: Sequence[float]) -> tuple[float, ...]:
        return (check.whole, *(float(value) for value in row))

    spread = (with_whole(values.mean(0)), with_whole(values.min(0)), with_whole(values.max(0)))
    return Curve((0, *check.counts), *spread, seeds=(len(values),) * (len(check.counts) + 1))
