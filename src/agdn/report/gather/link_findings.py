"""What a recipe's models say about their test edges, one seed at a time, so that little is held at once."""

from __future__ import annotations

from collections.abc import Sequence

from agdn.experiments.result import Run
from agdn.report.gather.asking import Asking
from agdn.report.gather.curves import combined
from agdn.report.gather.findings import Findings
from agdn.report.gather.hop_weights import LayerWeights, hop_weights, mean_over_seeds
from agdn.report.gather.link_answers import link_answers
from agdn.report.gather.link_degrees import SeedDegrees, by_degree, of_seed
from agdn.report.gather.link_examples import LinkExamples, link_examples
from agdn.report.gather.link_hits import hits_by_k
from agdn.report.gather.link_merit import threshold
from agdn.report.gather.links import Links
from agdn.report.gather.score_shares import ScoreShares, score_shares


def link_findings(runs: Sequence[Run]) -> Findings:
    """Where data or models are not to be had, this says why, and holds what the others gave."""
    asking = Asking(runs, link_answers)
    hits: list[dict[int, float]] = []
    degrees: list[SeedDegrees] = []
    hops: list[list[LayerWeights]] = []
    first: tuple[ScoreShares, LinkExamples, bool] | None = None
    for asked in asking:
        hits.append(hits_by_k(asked))
        degrees.append(of_seed(asked, degrees[0].starts if degrees else None))
        hops.append(hop_weights(asked.hops, asked.dataset.graph))
        if first is None:
            shares = score_shares(asked.positive.numpy(), asked.negative.numpy(), threshold(asked), asked.run.seed)
            first = shares, link_examples(asked), asked.split.negatives_per_edge is not None
    curve = combined(hits)
    if first is None or curve is None:
        return Findings(missing=asking.missing)
    scores, examples, own = first
    links = Links(scores, curve, own, by_degree(degrees), examples)
    return Findings(tuple(asking.seeds), asking.missing, hops=mean_over_seeds(hops), links=links)
