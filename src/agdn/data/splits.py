"""Ways to part the nodes into train, valid and test; every random one is fixed by its seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from agdn.data.dataset import Dataset, NodeSplit
from agdn.data.errors import DataError
from agdn.graph import Graph

Fractions = tuple[float, float, float]


def random_split(num_nodes: int, *, fractions: Fractions = (0.6, 0.2, 0.2), seed: int = 0) -> NodeSplit:
    """Nodes in random order, cut by ``fractions``."""
    return _cut(np.random.default_rng(seed).permutation(num_nodes), fractions)


def stratified_split(y: Tensor, *, fractions: Fractions = (0.6, 0.2, 0.2), seed: int = 0) -> NodeSplit:
    """Every class cut by ``fractions``; nodes of unknown class (-1) belong to no part."""
    rng = np.random.default_rng(seed)
    parts = [_cut(rng.permutation(members), fractions) for members in _members(y)]
    return NodeSplit(
        train=torch.cat([part.train for part in parts]).sort().values,
        valid=torch.cat([part.valid for part in parts]).sort().values,
        test=torch.cat([part.test for part in parts]).sort().values,
    )


def per_class_split(
    y: Tensor,
    *,
    train_per_class: int = 20,
    valid: int | None = None,
    valid_per_class: int | None = None,
    seed: int = 0,
) -> NodeSplit:
    """As many training nodes of each class, then ``valid`` nodes of any class or ``valid_per_class`` of each.

    The rest is the test part; nodes of unknown class (-1) belong to no part.
    """
    if (valid is None) == (valid_per_class is None):
        raise DataError("per_class_split: give either valid or valid_per_class")
    rng = np.random.default_rng(seed)
    shuffled = [rng.permutation(members) for members in _members(y)]
    each = train_per_class + (valid_per_class or 0)
    for label, members in enumerate(shuffled):
        if len(members) <= each:
            raise DataError(f"per_class_split: class {label} has {len(members)} nodes; more than {each} are needed")
    train = np.concatenate([members[:train_per_class] for members in shuffled])
    if valid_per_class is not None:
        held = np.concatenate([members[train_per_class:each] for members in shuffled])
        rest = np.concatenate([members[each:] for members in shuffled])
    else:
        others = rng.permutation(np.concatenate([members[train_per_class:] for members in shuffled]))
        held, rest = others[:valid], others[valid:]
        if len(rest) == 0:
            raise DataError(f"per_class_split: valid={valid} leaves no test node; {len(others)} nodes are left")
    return NodeSplit(*(torch.from_numpy(np.sort(part)) for part in (train, held, rest)))


def time_split(
    times: Tensor, *, until: tuple[float, float] | None = None, fractions: Fractions = (0.6, 0.2, 0.2)
) -> NodeSplit:
    """Past, then, later: times up to ``until[0]`` train, up to ``until[1]`` validate, later ones test.

    Without ``until`` the bounds are those that come nearest to ``fractions``; nodes of one time stay together.
    """
    values = times.reshape(-1).numpy()
    if len(values) == 0 or not np.isfinite(values.astype(np.float64)).all():
        raise DataError("time_split: every node needs a finite time")
    if until is None:
        _check_fractions(fractions)
        ordered = np.sort(values)
        ends = [max(round(share * len(values)) - 1, 0) for share in (fractions[0], fractions[0] + fractions[1])]
        first, second = ordered[ends[0]], ordered[min(ends[1], len(values) - 1)]
    else:
        first, second = until
    if first > second:
        raise DataError(f"time_split: until must rise, got {until}")
    masks = (values <= first, (values > first) & (values <= second), values > second)
    return NodeSplit(*(torch.from_numpy(np.flatnonzero(mask)) for mask in masks))


def inductive(dataset: Dataset, *, hidden: tuple[str, ...] = ("test",)) -> Dataset:
    """The dataset as training may see it: without the nodes of the ``hidden`` parts and all their edges.

    ``extra["node"]`` leads back to the full dataset's nodes, on which the model is then scored.
    """
    split = dataset.split
    if not isinstance(split, NodeSplit):
        raise DataError(f"{dataset.name} is split by edges; an inductive view needs a split of nodes")
    unknown = [part for part in hidden if part not in ("train", "valid", "test")]
    if unknown:
        raise DataError(f"inductive: hidden names parts of a split (train, valid, test), not {unknown[0]!r}")
    visible = torch.ones(dataset.graph.num_nodes, dtype=torch.bool)
    for part in hidden:
        visible[getattr(split, part)] = False
    nodes = visible.nonzero().squeeze(1)
    renumbered = visible.cumsum(0) - 1
    inner = dataset.graph.subgraph(nodes)
    return replace(
        dataset,
        graph=Graph(inner.edge_index, inner.num_nodes),
        splits=(
            NodeSplit(
                **{
                    part: renumbered[ids[visible[ids]]]
                    for part in ("train", "valid", "test")
                    for ids in [getattr(split, part)]
                }
            ),
        ),
        x=None if dataset.x is None else dataset.x[nodes],
        y=None if dataset.y is None else dataset.y[nodes],
        edge_attr=None if dataset.edge_attr is None else inner.carry(dataset.edge_attr),
        edge_weight=None if dataset.edge_weight is None else inner.carry(dataset.edge_weight),
        node_ids=None if dataset.node_ids is None else dataset.node_ids[nodes.numpy()],
        extra={
            **{
                name: inner.carry(column) if name.startswith("edge_") else column[nodes]
                for name, column in dataset.extra.items()
            },
            "node": nodes,
        },
    )


def _members(y: Tensor) -> list[np.ndarray]:
    if y.dim() != 1 or y.is_floating_point():
        raise DataError("a split by class needs one whole-number class a node")
    labels = y.numpy()
    return [np.flatnonzero(labels == label) for label in range(int(labels.max(initial=-1)) + 1)]


def _cut(ids: np.ndarray, fractions: Fractions) -> NodeSplit:
    _check_fractions(fractions)
    first = round(fractions[0] * len(ids))
    second = first + round(fractions[1] * len(ids))
    return NodeSplit(*(torch.from_numpy(np.sort(part)) for part in (ids[:first], ids[first:second], ids[second:])))


def _check_fractions(fractions: Fractions) -> None:
    if len(fractions) != 3 or min(fractions) < 0 or abs(sum(fractions) - 1) > 1e-6:
        raise DataError(f"fractions must be three shares of train, valid and test that sum to 1, got {fractions}")
