"""What the model of a run says about the nodes of its data, computed anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from agdn.data.dataset import Dataset, NodeSplit
from agdn.experiments.load import load_nodes
from agdn.experiments.prediction import LayerHops
from agdn.experiments.result import Run
from agdn.report.gather.same_data import require_same_nodes, require_same_score
from agdn.tasks.output import NodeOutput


@dataclass(frozen=True)
class Answers:
    """Of every node of a run's data.

    Attributes:
        values: (N,) class, (N, T) 0 or 1, or (N,) number, as predicted.
        probabilities: (N, C) or (N, T); None for numbers.
        hops: How the layers weighed their hops; empty for a model that has none.
    """

    run: Run
    dataset: Dataset
    output: NodeOutput
    values: Tensor
    probabilities: Tensor | None
    hops: list[LayerHops]

    @property
    def y(self) -> Tensor:
        assert self.dataset.y is not None, "a run of a node task has labels"
        return self.dataset.y

    @property
    def split(self) -> NodeSplit:
        assert isinstance(self.dataset.split, NodeSplit), "a run of a node task has a split of its nodes"
        return self.dataset.split

    @property
    def names(self) -> tuple[str, ...]:
        """Of the classes or tasks."""
        width = self.dataset.num_classes
        return self.output.class_names or tuple(map(str, range(width)))

    def node_id(self, node: int) -> Any:
        """The user's own id."""
        return node if self.dataset.node_ids is None else self.dataset.node_ids[node]


def answers(run: Run) -> Answers:
    """Load and ask the model; an error that tells why it cannot be asked, or that the data are no longer the same."""
    trained = load_nodes(run, "this part of the page")
    dataset = trained.dataset
    require_same_nodes(run, dataset)
    outputs, hops = trained.outputs_and_hops()
    outputs = outputs.detach().float().cpu()
    if not bool(outputs.isfinite().all()):
        raise ValueError("the model puts out NaN or infinity; its training went astray")
    test = trained.task.split.test
    require_same_score(run, trained.task.score(outputs[test], test)[run.metric], len(test))
    decoded = trained.output.decode(outputs)
    return Answers(run, dataset, trained.output, decoded.values, decoded.probabilities, hops)
