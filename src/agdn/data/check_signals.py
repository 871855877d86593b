"""Checks of what lies beside the graph: features, labels, edge attributes, further columns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from agdn.data.dataset import Dataset
from agdn.data.finding import Finding

EXACT_IN_FLOAT32 = 2**24
LARGE = 1e6
BLOCK = 2**25  # values looked at together: features may be mapped from disk


def signal_findings(dataset: Dataset) -> Iterator[Finding]:
    """Features, edge attributes, weights, further columns and ids, against the graph and for bad values."""
    nodes, edges = dataset.graph.num_nodes, dataset.graph.num_edges
    if dataset.x is None:
        if dataset.target != "link":
            yield Finding("note", "there are no node features", "x", "give a features file or use learned embeddings")
    else:
        yield from _table(dataset.x, "x", nodes, "nodes")
        if dataset.x.size(0) == nodes and dataset.x.dim() == 2:
            yield from _feature_columns(dataset.x)
    for name, values in (("edge_attr", dataset.edge_attr), ("edge_weight", dataset.edge_weight)):
        if values is not None:
            yield from _table(values, name, edges, "edges")
    weight = dataset.edge_weight
    if weight is not None and bool((weight < 0).any()):
        row = int((weight < 0).nonzero()[0])
        yield Finding("warning", f"edge weight {float(weight[row])} is negative", f"edge_weight, row {row}", "shift it")
    for name, column in dataset.extra.items():
        count, unit = (edges, "edges") if name.startswith("edge_") else (nodes, "nodes")
        yield from _table(column, f"extra[{name!r}]", count, unit)
    yield from _ids(dataset.node_ids, nodes)


def label_findings(dataset: Dataset) -> Iterator[Finding]:
    """Labels against the number of nodes and the range that the target allows."""
    y, nodes = dataset.y, dataset.graph.num_nodes
    if dataset.target == "link":
        return
    if y is None:
        yield Finding(
            "error", f"there are no labels for a {dataset.target} target", "y", "give labels or target='link'"
        )
        return
    if y.size(0) != nodes:
        yield Finding("error", f"there are {y.size(0)} labels for {nodes} nodes", "y", "give one row a node, in order")
        return
    if dataset.target == "class":
        yield from _classes(y, dataset.class_names)
    elif dataset.target == "multilabel":
        yield from _tasks(y)
    elif not bool(torch.isfinite(y).any()):
        yield Finding("error", "no node has a known value", "y", "check the column that the target was read from")


def _classes(y: Tensor, names: tuple[str, ...] | None) -> Iterator[Finding]:
    if y.dim() != 1 or y.is_floating_point():
        yield Finding("error", f"classes are {y.dtype} of shape {tuple(y.shape)}", "y", "give one int64 class a node")
        return
    limit = len(names) if names else int(y.max()) + 1
    outside = ((y < -1) | (y >= limit)).nonzero().squeeze(1)
    if len(outside):
        row = int(outside[0])
        what = f"{len(outside)} label(s) lie outside 0..{limit - 1}, the first is {int(y[row])}"
        yield Finding("error", what, f"y, row {row}", "number the classes from 0; mark unknown ones with -1")
        return
    counts = torch.bincount(y[y >= 0], minlength=limit)
    if int(counts.sum()) == 0:
        yield Finding("error", "no node has a known class", "y", "check the column that the target was read from")
    elif int((counts > 0).sum()) == 1:
        yield Finding("error", "all labels are of one class", "y", "there is nothing to learn: choose another target")
    elif bool((counts == 0).any()):
        empty = (counts == 0).nonzero().squeeze(1).tolist()
        yield Finding("warning", f"no node is of class {_listed(empty)}", "y", "number the classes without gaps")
    unknown = int((y == -1).sum())
    if unknown and int(counts.sum()):
        yield Finding(
            "note", f"{unknown} nodes have no known class", "y", "none is needed: they are left out of scores"
        )


def _tasks(y: Tensor) -> Iterator[Finding]:
    if y.dim() != 2:
        yield Finding("error", f"a multi-label target has shape {tuple(y.shape)}", "y", "give a column for each task")
        return
    wrong = ~((y == 0) | (y == 1) | y.isnan())
    if bool(wrong.any()):
        row, task = wrong.nonzero()[0].tolist()
        what = f"label {float(y[row, task])} is neither 0, 1 nor unknown (NaN)"
        yield Finding("error", what, f"y, row {row}, column {task}", "give each task as 0 or 1")
        return
    known = ~y.isnan()
    positives = (y == 1).sum(0)
    one_sided = ((positives == 0) | (positives == known.sum(0))).nonzero().squeeze(1).tolist()
    if one_sided:
        what = f"task {_listed(one_sided)} has labels of one kind only, so it has no ROC-AUC"
        yield Finding("warning", what, "y", "leave such tasks out")


def _table(values: Tensor, name: str, count: int, unit: str) -> Iterator[Finding]:
    if values.size(0) != count:
        what = f"{name} has {values.size(0)} rows for {count} {unit}"
        yield Finding("error", what, name, f"give one row for each of the {unit}, in their order")
    if values.is_floating_point() and values.numel():
        if values.dtype != torch.float32:
            yield Finding("error", f"{name} holds {values.dtype}", name, "convert it with .float()")
        bad, first = _not_finite(values)
        if bad:
            remedy = "impute or drop the missing values before training"
            yield Finding("error", f"{bad} value(s) of {name} are NaN or infinite", f"{name}, {first}", remedy)


def _not_finite(values: Tensor) -> tuple[int, str]:
    flat = values.reshape(values.size(0), -1)
    step = max(BLOCK // max(flat.size(1), 1), 1)
    total, first = 0, ""
    for start in range(0, flat.size(0), step):
        bad = ~torch.isfinite(flat[start : start + step])
        count = int(bad.sum())
        if count and not first:
            row, column = bad.nonzero()[0].tolist()
            first = f"row {start + row}" + (f", column {column}" if values.dim() > 1 else "")
        total += count
    return total, first


def _feature_columns(x: Tensor) -> Iterator[Finding]:
    if x.numel() == 0:
        yield Finding("error", f"x has shape {tuple(x.shape)}", "x", "give at least one feature, or no x at all")
        return
    low, high = x.amin(0), x.amax(0)
    constant = (low == high).nonzero().squeeze(1).tolist()
    if constant and x.size(0) > 1:
        what = f"{len(constant)} feature(s) are the same on every node: {_listed(constant)}"
        yield Finding("warning", what, f"x, column {constant[0]}", "drop them")
    extent = torch.maximum(low.abs(), high.abs())
    large = ((extent > LARGE) & torch.isfinite(extent)).nonzero().squeeze(1).tolist()
    inexact = [column for column in large if float(extent[column]) >= EXACT_IN_FLOAT32]
    if inexact:
        what = f"feature {inexact[0]} reaches {float(extent[inexact[0]]):.3g}; float32 counts exactly up to 2^24 only"
        yield Finding(
            "warning", what, f"x, column {inexact[0]}", "an id or a time? drop it, or scale it before float32"
        )
    elif large:
        what = f"feature {large[0]} reaches {float(extent[large[0]]):.3g}"
        yield Finding("warning", what, f"x, column {large[0]}", "scale the features")


def _ids(ids: np.ndarray | None, nodes: int) -> Iterator[Finding]:
    if ids is None:
        return
    if len(ids) != nodes:
        yield Finding("error", f"there are {len(ids)} node ids for {nodes} nodes", "node_ids", "give one id a node")
        return
    comparable = ids.astype(str) if ids.dtype == object else ids
    _, first, counts = np.unique(comparable, return_index=True, return_counts=True)
    if (counts > 1).any():
        row = int(first[counts.argmax()])
        what = f"node id {str(ids[row])!r} names {int(counts.max())} nodes"
        yield Finding("error", what, f"node_ids, row {row}", "make the ids unique")


def _listed(numbers: list[int], most: int = 5) -> str:
    return ", ".join(map(str, numbers[:most])) + (" ..." if len(numbers) > most else "")
