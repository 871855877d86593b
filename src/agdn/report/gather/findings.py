"""What a recipe's models say about their test nodes, one seed at a time, so that little is held at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agdn.experiments.result import Run
from agdn.report.gather.answers import Answers, answers
from agdn.report.gather.areas import Areas, areas
from agdn.report.gather.calibration import Calibration, calibration
from agdn.report.gather.confusion import Confusion, confusion
from agdn.report.gather.hop_weights import LayerWeights, hop_weights, mean_over_seeds
from agdn.report.gather.mistakes import Mistake, mistakes
from agdn.report.gather.numbers import Numbers, numbers
from agdn.report.gather.reproduce import seeds_text
from agdn.report.gather.views import Views, is_small, node_rows, views


@dataclass(frozen=True)
class Findings:
    """Over all seeds, but mistakes, numbers and views, which are of the first.

    Attributes:
        seeds: Those that could be asked.
        missing: Why others could not.
    """

    seeds: tuple[int, ...] = ()
    missing: tuple[str, ...] = ()
    confusion: Confusion | None = None
    areas: Areas | None = None
    numbers: Numbers | None = None
    calibration: Calibration | None = None
    hops: list[LayerWeights] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    views: Views | None = None


@dataclass
class Wanted:
    """Which nodes' surroundings to show: by the user's ids, or chosen once and then the same for every recipe.

    A graph that is small enough to be shown whole needs no choice.
    """

    names: Sequence[str]
    most: int
    chosen: dict[tuple[str, int], list[int]] = field(default_factory=dict)

    def centres(self, asked: Answers, worst: Sequence[Mistake]) -> list[int]:
        if self.names:
            return node_rows(asked, self.names)
        if is_small(asked.dataset.graph):
            return []
        key = (asked.dataset.name, asked.dataset.graph.num_nodes)
        if key not in self.chosen:
            test = asked.split.test
            spread = test[:: max(1, len(test) // self.most)].tolist()
            nodes = list(dict.fromkeys(mistake.node for mistake in worst)) or spread
            self.chosen[key] = nodes[: self.most]
        return self.chosen[key]


def findings(runs: Sequence[Run], wanted: Wanted) -> Findings:
    """Where data or models are not to be had, this says why, and holds what the others gave."""
    asked_seeds: list[int] = []
    reasons: dict[str, list[int]] = {}
    hops: list[list[LayerWeights]] = []
    first: Findings | None = None
    confused: Confusion | None = None
    judged: Calibration | None = None
    areas_found: Areas | None = None
    for run in runs:
        try:
            asked = answers(run)
        except (ValueError, OSError) as error:
            reasons.setdefault(str(error), []).append(run.seed)
            continue
        asked_seeds.append(run.seed)
        hops.append(hop_weights(asked))
        own = calibration(asked)
        judged = own if judged is None or own is None else judged + own
        if asked.output.target == "class":
            confused = confusion(asked) if confused is None else confused + confusion(asked)
        elif asked.output.target == "multilabel":
            areas_found = areas(asked) if areas_found is None else areas_found + areas(asked)
        if first is None:
            worst = mistakes(asked)
            first = Findings(
                numbers=numbers(asked) if asked.output.target == "numeric" else None,
                mistakes=worst,
                views=views(asked, wanted.centres(asked, worst)),
            )
    missing = tuple(f"seed{'s' * (len(seeds) > 1)} {seeds_text(seeds)}: {reason}" for reason, seeds in reasons.items())
    if first is None:
        return Findings(missing=missing)
    return Findings(
        tuple(asked_seeds),
        missing,
        confused,
        areas_found,
        first.numbers,
        judged,
        mean_over_seeds(hops),
        first.mistakes,
        first.views,
    )
