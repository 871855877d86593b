"""Train an encoder of texts to tell a node's neighbours, level by level of a tree of labels (GIANT).

The labels are the nodes themselves. At each level of the tree the encoder learns in which clusters the neighbours of a
node lie, among the clusters that it could mistake them for: the children of those that it ranked highest at the level
above. What it has learnt at one level is where the next begins; the clusters' vectors begin as the mean of the texts
that belong to them. The levels above stay in the loss, all levels weighing the same: with close clusters alone for
choice, nothing would keep far ones apart, and the encoder would unlearn what the levels above have taught it.

Only texts and edges are looked at, never a node's class or split.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from agdn.embedding.label_tree import balanced_tree, check_fanout
from agdn.embedding.neighbour_labels import cluster_labels, label_features, label_means, neighbours
from agdn.graph import Graph
from agdn.ops.checks import check_counts, check_positive
from agdn.ops.label_ranking import LabelRanking

Progress = Callable[[str, float], None]


class TextEncoder(Protocol):
    """What gives a text its vector, of unit length."""

    width: int

    def encode(self) -> Tensor:
        """(N, D) of all texts, as they are used after training."""

    def forward(self, rows: Tensor) -> Tensor:
        """(B, D) of some texts, as they are seen in training, ready for ``backward``."""

    def backward(self, h: Tensor, gradient: Tensor, *, rate: float) -> None:
        """Take a step against ``gradient`` of what ``forward`` returned last; ``rate`` falls from 1 to 0 in a level."""

    def begin_level(self) -> None:
        """Another task begins: forget what optimisers remember."""


@dataclass(frozen=True, kw_only=True)
class NeighbourTraining:
    """How an encoder is trained.

    Attributes:
        fanout: Children of a cluster, a power of two.
        beam: Clusters of a level that are matched with a node, whose children stand for choice at the next.
        epochs: Passes over all nodes, a level.
        batch: Nodes a step.
        scale: Of the scores, products of vectors of unit length.
        label_lr: Step of the clusters' vectors (Adagrad), in units of their root mean square.
    """

    fanout: int = 16
    beam: int = 10
    epochs: int = 3
    batch: int = 1024
    scale: float = 12.0
    label_lr: float = 0.1

    def __post_init__(self) -> None:
        check_fanout(self.fanout)
        check_counts(beam=self.beam, epochs=self.epochs, batch=self.batch)
        check_positive(scale=self.scale, label_lr=self.label_lr)


def train_on_neighbours(
    encoder: TextEncoder,
    graph: Graph,
    training: NeighbourTraining,
    *,
    generator: torch.Generator,
    progress: Progress | None = None,
) -> list[float]:
    """Train ``encoder``, whose rows are the nodes; returns the mean loss of every level's last epoch."""
    joined, h = neighbours(graph), encoder.encode()
    rows = torch.from_numpy(joined.indptr).diff().nonzero().squeeze(1)
    if not len(rows):
        raise ValueError("no two nodes are joined; texts learn from the edges between different nodes")
    seed = int(torch.randint(2**62, (), generator=generator))
    tree = balanced_tree(label_features(joined, h), fanout=training.fanout, seed=seed)
    matched = torch.zeros(len(h), 1, dtype=torch.int32)  # the root, whose children are all clusters of the first level
    tasks: list[Task] = []
    losses = []
    for level, count in enumerate(tree.sizes, 1):
        truth = cluster_labels(joined, tree.clusters(level), count)
        vectors = label_means(truth, h, count)
        ranking = LabelRanking(vectors, children=tree.children(level), truth=truth, scale=training.scale)
        tasks.append(Task(ranking, matched))

        def show(done: float, level: int = level) -> None:
            if progress is not None:
                progress("levels", (level - 1 + done) / len(tree.sizes))

        losses.append(_train_level(encoder, tasks, rows, training, generator, show))
        h = encoder.encode()
        matched = ranking.best(h, matched, training.beam)
    return losses


class Task(NamedTuple):
    """A level: its clusters, and which clusters of the level above are matched with each node."""

    ranking: LabelRanking
    matched: Tensor  # (N, b)


def _train_level(
    encoder: TextEncoder,
    tasks: Sequence[Task],
    rows: Tensor,
    training: NeighbourTraining,
    generator: torch.Generator,
    show: Callable[[float], None],
) -> float:
    """Train on the last of ``tasks``, and on those above it; returns its mean loss in the last epoch."""
    encoder.begin_level()
    mean_loss = 0.0
    for epoch in range(training.epochs):
        total, seen = 0.0, 0
        for batch in rows[torch.randperm(len(rows), generator=generator)].split(training.batch):
            done = (epoch + seen / len(rows)) / training.epochs
            show(done)
            h = encoder.forward(batch)
            gradient, label_lr = torch.zeros(h.shape), training.label_lr * (1 - done) / encoder.width**0.5
            for ranking, matched in tasks:
                losses, own = ranking.step(batch, h.detach(), matched, lr=label_lr)
                gradient += own
            encoder.backward(h, gradient / (len(tasks) * len(batch)), rate=1 - done)
            total, seen = total + float(losses.sum()), seen + len(batch)
        mean_loss = total / seen
    show(1.0)
    return mean_loss
