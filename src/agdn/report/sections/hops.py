"""Which hops the layers listen to."""

from __future__ import annotations

from typing import Any

import numpy as np

from agdn.report.charts.boxes import boxes
from agdn.report.charts.matrix import Matrix
from agdn.report.gather.hop_weights import LayerWeights, degree_bin
from agdn.report.gather.report import Recipe, Report
from agdn.report.markup import Markup, joined
from agdn.report.sections.section import Section, figure, figures, paragraph, tabs

EXPLAINED = {
    "node": "Every node weighs its hops: boxes hold the middle half of the nodes, lines nine tenths, dots are means.",
    "channel": "Every channel weighs its hops: boxes hold the middle half of the channels, lines nine tenths, dots are "
    "means.",
    "layer": "The weights are the same for all nodes and channels.",
}


def hops(report: Report) -> Section | None:
    panels: list[tuple[str, Markup]] = []
    matrices: dict[str, Any] = {}
    for index, recipe in enumerate(report.recipes):
        if not recipe.findings.hops:
            continue
        found = [_by_degree(f"degree-{index}-{layer.layer}", layer) for layer in recipe.findings.hops]
        matrices |= {matrix.key: matrix.data() for matrix in found if matrix is not None}
        panels.append((recipe.label, _layers(recipe, found)))
    if not panels:
        return None
    return Section("hops", "Hop weights", tabs("hops", "Recipes", panels), {"matrices": matrices})


def _layers(recipe: Recipe, matrices: list[Matrix | None]) -> Markup:
    drawn: list[Markup] = []
    for layer, matrix in zip(recipe.findings.hops, matrices, strict=True):
        title = f"Layer {layer.layer}: weight of each hop"
        names = [str(hop) for hop in layer.hops]
        drawn.append(figure(title, boxes(title, names, layer.quantiles, layer.mean, x_name="hop", y_name="weight")))
        if matrix is not None:
            drawn.append(
                figure(matrix.title, matrix.svg(), "Mean weight of nodes with so many neighbours, loops aside.")
            )
    explained = dict.fromkeys(EXPLAINED[layer.weigher] for layer in recipe.findings.hops)
    several = "The mean over the seeds. " if len(recipe.findings.seeds) > 1 else ""
    return joined(paragraph(several, " ".join(explained)), figures(drawn))


def _by_degree(key: str, layer: LayerWeights) -> Matrix | None:
    full = np.flatnonzero(layer.counts)
    if not len(full):
        return None
    means = layer.by_degree[full] / layer.counts[full, None]
    top = max(float(means.max()), 1e-9)
    cells = [[f"{value:.2f}" for value in row] for row in means.tolist()]
    rows = [degree_bin(int(index)) for index in full]
    title = f"Layer {layer.layer}: weights by degree"
    return Matrix(key, title, "degree", "hop", rows, [str(hop) for hop in layer.hops], means / top, cells)
