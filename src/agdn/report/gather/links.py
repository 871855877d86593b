"""What a model of links says about the test edges of its data, over several seeds."""

from __future__ import annotations

from dataclasses import dataclass

from agdn.report.gather.curves import Curve
from agdn.report.gather.link_degrees import ByDegree
from agdn.report.gather.link_examples import LinkExamples
from agdn.report.gather.score_shares import ScoreShares


@dataclass(frozen=True)
class Links:
    """Over all seeds, but scores and examples, which are of the first.

    Attributes:
        hits: Hits@K over K, in 0..1.
        own_negatives: Whether each edge is ranked among negatives of its own.
    """

    scores: ScoreShares
    hits: Curve
    own_negatives: bool
    by_degree: ByDegree
    examples: LinkExamples
