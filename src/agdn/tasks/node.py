"""Node classification and regression: one class, several yes/no answers, or a number for every node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from torch import Tensor, nn

from agdn.data.dataset import Dataset, NodeSplit
from agdn.tasks import metrics
from agdn.tasks.class_weights import fitted_weights
from agdn.tasks.evaluation import Evaluation
from agdn.tasks.inputs import Inputs
from agdn.tasks.losses import LOSSES, Loss
from agdn.tasks.output import NodeOutput, fit_output

PARTS = ("train", "valid", "test")

SCORES: dict[str, dict[str, tuple[str, ...]]] = {
    "class": {
        "accuracy": ("accuracy", "macro_f1"),
        "macro_f1": ("macro_f1", "accuracy"),
        "rocauc": ("rocauc", "accuracy"),
    },
    "multilabel": {"rocauc": ("rocauc",)},
    "numeric": {"mae": ("mae", "r2"), "r2": ("r2", "mae")},
}
"""By target and official metric: what is reported, the official one first."""


class NodeTask:
    """What to learn about the nodes of a dataset, by the split that it has chosen.

    Everywhere ``outputs`` (M, C) are the rows of ``nodes`` (M,): ``task.loss(model(x, graph)[nodes], nodes)``.

    Args:
        loss: One of :data:`agdn.tasks.losses.LOSSES` for the target; by default cross-entropy, or the squared error.
        class_weights: A number a class (for yes/no tasks: the weight of each task's positives), or ``"balanced"``.
        label_smoothing: Share of the certainty that the labels lose.
        standardize: Learn numbers in units of the training nodes' spread; scores stay in the user's units.
        parts: Which parts are scored; what chooses between models leaves ``test`` out.
    """

    def __init__(
        self,
        dataset: Dataset,
        *,
        loss: str | None = None,
        class_weights: Sequence[float] | Literal["balanced"] | None = None,
        label_smoothing: float = 0.0,
        standardize: bool = True,
        parts: Sequence[str] = PARTS,
    ) -> None:
        if dataset.target == "link":
            raise ValueError(f"{dataset.name} asks for links; a node task needs a label on the nodes")
        if dataset.y is None:
            raise ValueError(f"{dataset.name} has no labels; a node task needs y")
        if not isinstance(dataset.split, NodeSplit):
            raise ValueError(f"{dataset.name} is split by edges; a node task needs a split of its nodes")
        self.name, self.y, self.split = dataset.name, dataset.y.cpu(), dataset.split
        self.parts = tuple(parts)
        self.out_channels = dataset.num_classes
        self.score_names = _score_names(dataset)
        self.metric = self.score_names[0]
        self.higher_is_better = metrics.HIGHER_IS_BETTER[self.metric]
        self._check_parts(dataset.target)
        known = self.y[self.split.train]
        self.output: NodeOutput = fit_output(dataset.target, known, dataset.class_names, standardize=standardize)
        self._loss = _chosen_loss(dataset, loss)
        self._weights = fitted_weights(dataset.target, known, class_weights, self.out_channels)
        if not 0 <= label_smoothing < 1:
            raise ValueError(f"label_smoothing must lie in [0, 1), got {label_smoothing}")
        if label_smoothing and dataset.target == "numeric":
            raise ValueError("label_smoothing is for classes; this target is a number")
        self._smoothing = label_smoothing

    def loss(self, outputs: Tensor, nodes: Tensor) -> Tensor:
        """The mean loss over ``nodes``, a scalar with its gradient."""
        y = self.y[nodes.cpu()].to(outputs.device)
        if self.output.target == "numeric":
            y = self.output.standardized(y)
        weights = None if self._weights is None else self._weights.to(outputs.device)
        return self._loss(outputs.float(), y, weights, self._smoothing)

    def score(self, outputs: Tensor, nodes: Tensor) -> dict[str, float]:
        """Every score of the task on ``nodes``, the official one first."""
        outputs, y = outputs.detach().float().cpu(), self.y[nodes.cpu()]
        return {name: self._score(name, outputs, y) for name in self.score_names}

    def losses(self, model: nn.Module, inputs: Inputs) -> Iterator[Tensor]:
        """The loss of each step of an epoch; here one, on all training nodes."""
        nodes = self.split.train.to(inputs.train.graph.device)
        yield self.loss(inputs.train.outputs(model)[inputs.train.rows(nodes)], nodes)

    def evaluate(self, model: nn.Module, inputs: Inputs) -> Evaluation:
        """One pass over the whole graph with the model as it is; the caller puts it in evaluation mode."""
        outputs = inputs.whole.outputs(model)
        parts = {part: getattr(self.split, part) for part in self.parts}
        rows = {part: outputs[nodes.to(outputs.device)] for part, nodes in parts.items()}
        return Evaluation(
            scores={part: self.score(rows[part], parts[part]) for part in parts},
            valid_loss=float(self.loss(rows["valid"], parts["valid"]).detach()),
        )

    def _score(self, name: str, outputs: Tensor, y: Tensor) -> float:
        match name:
            case "accuracy":
                return metrics.accuracy(outputs.argmax(1), y)
            case "macro_f1":
                return metrics.macro_f1(outputs.argmax(1), y)
            case "rocauc":
                of_one = outputs[:, 1] - outputs[:, 0] if self.output.target == "class" else outputs
                return metrics.rocauc(of_one, y)
            case "mae":
                return metrics.mae(self.output.numbers(outputs), y)
            case _:
                return metrics.r2(self.output.numbers(outputs), y)

    def _check_parts(self, target: str) -> None:
        for part in PARTS:
            nodes = getattr(self.split, part)
            if not len(nodes):
                raise ValueError(f"the {part} part of {self.name} is empty; choose or make another split")
            unknown = _unknown(self.y[nodes], target)
            if bool(unknown.any()):
                first = int(nodes[unknown.nonzero()[0]])
                raise ValueError(
                    f"{self.name}: {int(unknown.sum())} nodes of the {part} part have no label, first node {first}; "
                    "leave them out of the split"
                )
            if self.metric == "rocauc":
                y = self.y[nodes].reshape(len(nodes), -1)
                if not any(metrics.has_both_classes(y[:, task]) for task in range(y.size(1))):
                    raise ValueError(
                        f"rocauc needs nodes of both classes, but the {part} part of {self.name} has one; "
                        "choose another split or metric"
                    )


def _unknown(y: Tensor, target: str) -> Tensor:
    if target == "class":
        return y < 0
    return y.isnan().reshape(len(y), -1).all(1)


def _score_names(dataset: Dataset) -> tuple[str, ...]:
    known = SCORES[dataset.target]
    if dataset.metric not in known:
        raise ValueError(
            f"{dataset.name}: a {dataset.target} target is scored by {' or '.join(known)}, not {dataset.metric!r}"
        )
    if dataset.target == "class" and dataset.metric == "rocauc" and dataset.num_classes != 2:
        raise ValueError(f"{dataset.name}: rocauc needs two classes, but there are {dataset.num_classes}")
    return known[dataset.metric]


def _chosen_loss(dataset: Dataset, name: str | None) -> Loss:
    known = LOSSES[dataset.target]
    if name is not None and name not in known:
        raise ValueError(f"{dataset.name}: a {dataset.target} target has the losses {', '.join(known)}, not {name!r}")
    return known[name or next(iter(known))]
