"""What a recipe's models say about their test part, one seed at a time, so that little is held at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agdn.experiments.result import Run
from agdn.report.gather.answers import Answers, answers
from agdn.report.gather.areas import Areas, areas
from agdn.report.gather.asking import Asking
from agdn.report.gather.calibration import Calibration, calibration
from agdn.report.gather.confusion import Confusion, confusion
from agdn.report.gather.hop_weights import LayerWeights, hop_weights, mean_over_seeds
from agdn.report.gather.links import Links
from agdn.report.gather.mistakes import Mistake, mistakes
from agdn.report.gather.numbers import Numbers, numbers
from agdn.report.gather.views import Views, is_small, node_rows, views


@dataclass(frozen=True)
class Findings:
    """Over all seeds, but mistakes, numbers and views, which are of the first.

    Attributes:
        seeds: Those that could be asked.
        missing: Why others could not.
        links: All that is told of a model of links, but its hops.
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
    links: Links | None = None


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
            return node_rows(asked.dataset, self.names)
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
    asking = Asking(runs, answers)
    hops: list[list[LayerWeights]] = []
    first: Findings | None = None
    confused: Confusion | None = None
    judged: Calibration | None = None
    areas_found: Areas | None = None
    for asked in asking:
        hops.append(hop_weights(asked.hops, asked.dataset.graph))
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
    if first is None:
        return Findings(missing=asking.missing)
    return replace(
        first,
        seeds=tuple(asking.seeds),
        missing=asking.missing,
        confusion=confused,
        areas=areas_found,
        calibration=judged,
        hops=mean_over_seeds(hops),
    )
