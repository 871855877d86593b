"""Node classification and regression: one class, several yes/no answers, or a number for every node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor, nn

from agdn.data.dataset import Dataset, NodeSplit
from agdn.graph import Graph
from agdn.sampling import batches
from agdn.tasks import correct_and_smooth as smoothing
from agdn.tasks import metrics
from agdn.tasks.class_weights import fitted_weights
from agdn.tasks.consistency import ConsistencyOptions, consistency_penalty
from agdn.tasks.correct_and_smooth import SmoothingOptions
from agdn.tasks.distillation import Distillation, DistillationOptions
from agdn.tasks.evaluation import Evaluation
from agdn.tasks.inputs import Inputs, Signals
from agdn.tasks.label_input import LabelInput, Labelled, LabelOptions
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
        labels: Known labels as a part of the input.
        consistency: A penalty on passes that do not agree.
        distillation, teacher: How to learn from a teacher, and its (N, C) outputs.
        correct_and_smooth: What is done to the outputs after training.
        parts: Which parts are scored, and so need labels; what chooses between models leaves ``test`` out.
    """

    notes: tuple[str, ...] = ()
    pairs_of_step = 0
    _drawn_at_once: int | None = None  # training nodes for which it is drawn who is shown; None for those at hand

    def __init__(
        self,
        dataset: Dataset,
        *,
        loss: str | None = None,
        class_weights: Sequence[float] | Literal["balanced"] | None = None,
        label_smoothing: float = 0.0,
        standardize: bool = True,
        labels: LabelOptions | None = None,
        consistency: ConsistencyOptions | None = None,
        distillation: DistillationOptions | None = None,
        teacher: Tensor | None = None,
        correct_and_smooth: SmoothingOptions | None = None,
        parts: Sequence[str] = PARTS,
    ) -> None:
        if dataset.target == "link":
            raise ValueError(f"{dataset.name} asks for links; say how they are learnt in a section link: of the recipe")
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
        self.labels = None
        if labels is not None:
            self.labels = LabelInput(labels, self.output, known, self.out_channels)
        self._consistency, self._distillation = consistency, None
        if distillation is not None and teacher is not None:
            self._distillation = Distillation(distillation, teacher, dataset.target)
        self._correct_and_smooth = correct_and_smooth
        for name, option in (("consistency", consistency), ("correct_and_smooth", correct_and_smooth)):
            if option is not None and dataset.target != "class":
                raise ValueError(f"{name} is for one class a node; the target of {self.name} is {dataset.target}")

    @property
    def input_columns(self) -> int:
        """How many columns the task adds to the node features."""
        return 0 if self.labels is None else self.labels.width

    def loss(
        self, outputs: Tensor, nodes: Tensor, node_weight: Tensor | None = None, graph: Graph | None = None
    ) -> Tensor:
        """The mean loss over ``nodes``, weighted where that is asked for; a scalar with its gradient.

        Where ``graph`` is a part of one, this is what its nodes add to the mean over those of all parts.
        """
        y = self.y[nodes.cpu()].to(outputs.device)
        if self.output.target == "numeric":
            y = self.output.standardized(y)
        weights = None if self._weights is None else self._weights.to(outputs.device)
        return self._loss(outputs.float(), y, weights, self._smoothing).mean(node_weight, graph)

    def score(self, outputs: Tensor, nodes: Tensor) -> dict[str, float]:
        """Every score of the task on ``nodes``, the official one first."""
        outputs, y = outputs.detach().float().cpu(), self.y[nodes.cpu()]
        return {name: self._score(name, outputs, y) for name in self.score_names}

    def steps(self, inputs: Inputs) -> int:
        """Steps of an epoch."""
        return 1 if inputs.sampler is None else len(inputs.sampler)

    def losses(
        self, model: nn.Module, inputs: Inputs, *, epoch: int = 0, start: int = 0, stride: int = 1
    ) -> Iterator[Tensor | None]:
        """The loss of every ``stride``-th step of an epoch from ``start`` on; None where a batch has no training node.

        It is taken on the training nodes that a step is there for, or on those of them whose label is not shown.
        """
        for given in inputs.pieces(epoch, start, stride):
            labelled = self._labelled(given)
            yield self._loss_on(model, given, labelled) if self._asks_for(labelled) else None

    def _asks_for(self, labelled: Labelled) -> bool:
        return bool(labelled.seeds.any())

    def _loss_on(self, model: nn.Module, given: Signals, labelled: Labelled) -> Tensor:
        shown, asked = None, labelled.part(labelled.seeds)
        if self.labels is not None:
            shown, asked = self.labels.divided(labelled, self._drawn_at_once)
        rows, nodes = asked.rows.to(given.graph.device), self.split.train[asked.positions]
        node_weight = None if given.node_weight is None else given.node_weight[rows]
        passes = []
        for _ in range(1 if self._consistency is None else self._consistency.passes):
            last = given if self.labels is None or shown is None else self.labels.signals(model, given, shown)
            passes.append(last.outputs(model))
        loss = torch.stack([self.loss(outputs[rows], nodes, node_weight, given.graph) for outputs in passes]).mean()
        passes = [outputs[: given.num_seeds] for outputs in passes]
        if self._distillation is not None:
            loss = torch.stack([self._distillation.loss(loss, outputs, given) for outputs in passes]).mean()
        if self._consistency is not None:
            loss = loss + consistency_penalty(passes, self._consistency, given.graph)
        return loss

    def _labelled(self, given: Signals) -> Labelled:
        """The training nodes among the rows."""
        train = self.split.train
        if given.num_seeds is None or given.nodes is None:
            rows = given.rows(train.to(given.graph.device)).cpu()
            return Labelled(rows, torch.arange(len(train)), torch.ones(len(train), dtype=torch.bool))
        positions = self._positions[given.nodes.cpu()]
        rows = (positions >= 0).nonzero().squeeze(1)
        return Labelled(rows, positions[rows], rows < given.num_seeds)

    @cached_property
    def _positions(self) -> Tensor:
        """(N,) where each node stands in the training part, -1 elsewhere."""
        positions = torch.full((len(self.y),), -1, dtype=torch.int64)
        positions[self.split.train] = torch.arange(len(self.split.train))
        return positions

    def given(self, model: nn.Module, signals: Signals) -> Signals:
        """What the model is given in evaluation: with the training labels, where labels are input."""
        if self.labels is None:
            return signals
        return self.labels.signals(model, signals, self._labelled(signals))

    def outputs(self, model: nn.Module, inputs: Inputs) -> Tensor:
        """(N, C) in evaluation: of the whole graph at once or, where there are views of it, their mean over these."""
        if not inputs.views:
            return self.given(model, inputs.whole).outputs(model)
        device = inputs.whole.graph.device
        total = torch.zeros(inputs.whole.graph.num_nodes, self.out_channels, device=device)
        for view in inputs.views:
            for batch in batches(view, 0):
                if len(batch.nodes):
                    piece = inputs.whole.piece(batch)
                    outputs = self.given(model, piece).outputs(model)[: batch.num_seeds].float()
                    total.index_add_(0, batch.seeds.to(device), outputs)
        return total / len(inputs.views)

    def finished(self, outputs: Tensor, graph: Graph) -> Tensor:
        """(N, C) outputs of a trained model -> those that count: corrected and smoothed, if that was asked for."""
        if self._correct_and_smooth is None:
            return outputs
        rows, nodes = self._known_rows(graph)
        labels = nn.functional.one_hot(self.y[nodes], self.out_channels).float().to(outputs.device)
        probabilities, rows = outputs.float().softmax(1), rows.to(outputs.device)
        smoothed = smoothing.correct_and_smooth(probabilities, labels, rows, graph, self._correct_and_smooth)
        return smoothing.as_outputs(smoothed)

    def _known_rows(self, graph: Graph) -> tuple[Tensor, Tensor]:
        """Rows of training nodes, and their ids."""
        return self.split.train, self.split.train

    @property
    def finishes(self) -> bool:
        """Whether :meth:`finished` changes anything."""
        return self._correct_and_smooth is not None

    def evaluate(self, model: nn.Module, inputs: Inputs, *, finished: bool = False) -> Evaluation:
        """Every node with the model as it is, in the mode that it is in; ``finished``: as in the end."""
        outputs = self.outputs(model, inputs)
        outputs = self.finished(outputs, inputs.whole.graph) if finished else outputs
        return self._evaluation(lambda nodes: outputs[nodes.to(outputs.device)])

    def _evaluation(self, outputs_of: Callable[[Tensor], Tensor]) -> Evaluation:
        parts = {part: getattr(self.split, part) for part in self.parts}
        rows = {part: outputs_of(nodes) for part, nodes in parts.items()}
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
        for part in self.parts:
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
