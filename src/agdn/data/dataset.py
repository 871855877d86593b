"""The record that every reader ends in: a graph with its signals, its splits and how it is scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from agdn.graph import Graph

Target = Literal["class", "multilabel", "numeric", "link"]


@dataclass(frozen=True)
class NodeSplit:
    """Disjoint node ids, int64."""

    train: Tensor
    valid: Tensor
    test: Tensor


@dataclass(frozen=True)
class EdgeSplit:
    """Positive and negative node pairs, each ``(2, M)`` int64; the graph itself holds training edges only.

    With ``negatives_per_edge`` the negatives of positive ``i`` are the columns ``i * negatives_per_edge`` and following
    (ogbl-citation2); without, all negatives of a part serve all its positives.
    """

    train: Tensor
    valid: Tensor
    test: Tensor
    valid_negative: Tensor
    test_negative: Tensor
    negatives_per_edge: int | None = None


@dataclass(frozen=True)
class Dataset:
    """A graph with its signals. All tensors are in the caller's node and edge order.

    Attributes:
        graph: The message graph, exactly as the files give it: no self-loops or reverse edges are added.
        target: What is predicted: one class a node, several yes/no tasks a node, a number a node, or links.
        metric: Name of the official score, such as ``accuracy``, ``rocauc``, ``hits@20``, ``mrr``, ``mae``.
        splits: One, or as many as the set publishes. ``split`` is the chosen one.
        x: ``(N, F)`` float32 features, or None where the files hold none.
        y: ``(N,)`` int64 classes (-1 unknown), ``(N, T)`` float32 tasks (NaN unknown) or ``(N,)`` float32 numbers.
        node_ids: The user's own ids, by row; None where rows are the ids.
        class_names: Names of the classes or tasks.
        extra: Further columns by name: one row a node, such as ``year`` or ``species``, or, where the name begins with
            ``edge_``, one row an edge, such as ``edge_year``. ``image``, (N, height, width) in 0..1, is what a node
            looks like.
        notes: Sentences that every result must carry, such as the use of external data.
    """

    name: str
    graph: Graph
    target: Target
    metric: str
    splits: tuple[NodeSplit, ...] | tuple[EdgeSplit, ...] = ()
    x: Tensor | None = None
    y: Tensor | None = None
    edge_attr: Tensor | None = None
    edge_weight: Tensor | None = None
    node_ids: np.ndarray | None = None
    class_names: tuple[str, ...] | None = None
    extra: Mapping[str, Tensor] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def split(self) -> NodeSplit | EdgeSplit:
        if not self.splits:
            raise ValueError(f"{self.name} has no split; make one with agdn.data.splits")
        return self.splits[0]

    @property
    def num_classes(self) -> int:
        """Width of a model's output for this target."""
        if self.y is None or self.target == "link":
            return 1
        if self.target == "class":
            return len(self.class_names) if self.class_names else int(self.y.max()) + 1
        return self.y.size(1) if self.y.dim() == 2 else 1

    def with_split(self, index: int) -> Dataset:
        """The same set with its ``index``-th published split chosen."""
        if not 0 <= index < len(self.splits):
            raise ValueError(f"{self.name} has splits 0..{len(self.splits) - 1}, not {index}")
        return replace(self, splits=(self.splits[index],))  # type: ignore[arg-type]

    def with_features(self, x: Tensor, *, join: bool = False, note: str | None = None) -> Dataset:
        """Other node features in place of the built-in ones, or (``join``) beside them."""
        if x.size(0) != self.graph.num_nodes:
            raise ValueError(f"{self.name} has {self.graph.num_nodes} nodes, but the features have {x.size(0)} rows")
        joined = torch.cat([self.x, x], dim=1) if join and self.x is not None else x
        return replace(self, x=joined, notes=(*self.notes, note) if note else self.notes)
