"""Checks of the splits: ids in range, parts apart and filled, and no answer of one part visible in another."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import torch
from torch import Tensor

from agdn.data.dataset import Dataset, EdgeSplit, NodeSplit
from agdn.data.finding import Finding
from agdn.data.pair_keys import among, ordered_keys, unordered_keys

PARTS = ("train", "valid", "test")


def split_findings(dataset: Dataset) -> Iterator[Finding]:
    if not dataset.splits:
        yield Finding("warning", "there is no split", "splits", "make one with agdn.data.splits or .edge_splits")
    for index, split in enumerate(dataset.splits):
        where = f"splits[{index}]"
        if isinstance(split, NodeSplit):
            if dataset.target == "link":
                yield Finding("error", "links are predicted, but nodes are split", where, "use split_edges")
            yield from _node_split(dataset, split, where)
        elif isinstance(split, EdgeSplit):
            if dataset.target != "link":
                yield Finding("error", "nodes are predicted, but edges are split", where, "give a NodeSplit")
            yield from _edge_split(dataset, split, where)


def _node_split(dataset: Dataset, split: NodeSplit, where: str) -> Iterator[Finding]:
    nodes = dataset.graph.num_nodes
    parts = {name: getattr(split, name) for name in PARTS}
    in_range = True
    for name, ids in parts.items():
        if ids.numel() == 0:
            yield Finding("error", f"the {name} part is empty", f"{where}.{name}", "give every part some nodes")
            continue
        outside = ((ids < 0) | (ids >= nodes)).nonzero().squeeze(1)
        if len(outside):
            in_range = False
            row = int(outside[0])
            what = f"node {int(ids[row])} does not exist; ids lie in 0..{nodes - 1}"
            yield Finding("error", what, f"{where}.{name}, row {row}", "number the nodes from 0")
        elif len(ids) != len(torch.unique(ids)):
            node = int(torch.bincount(ids).argmax())
            yield Finding("error", f"node {node} is listed twice", f"{where}.{name}", "list every node once")
    if not in_range:
        return
    for first, second in combinations(PARTS, 2):
        shared = parts[first][torch.isin(parts[first], parts[second])]
        if len(shared):
            what = f"{len(shared)} node(s) are in both {first} and {second}, such as {int(shared[0])}"
            yield Finding("error", what, f"{where}.{first}, {where}.{second}", "keep the parts apart")
    rest = nodes - len(torch.unique(torch.cat([ids.reshape(-1) for ids in parts.values()])))
    if rest:
        yield Finding("note", f"{rest} nodes are in no part", where, "none is needed: they pass messages only")
    yield from _labels_of_parts(dataset, parts, where)


def _labels_of_parts(dataset: Dataset, parts: dict[str, Tensor], where: str) -> Iterator[Finding]:
    y = dataset.y
    if y is None or y.size(0) != dataset.graph.num_nodes or dataset.target == "link":
        return
    unknown = y < 0 if dataset.target == "class" else y.isnan().reshape(y.size(0), -1).all(1)
    for name, ids in parts.items():
        missing = ids[unknown[ids]]
        if len(missing):
            what = f"{len(missing)} node(s) of the {name} part have no label, such as {int(missing[0])}"
            yield Finding("error", what, f"{where}.{name}", "leave nodes without a label out of the split")
    if dataset.target == "class" and y.dim() == 1 and not y.is_floating_point():
        taught = torch.unique(y[parts["train"]])
        asked = torch.unique(torch.cat([y[parts["valid"]], y[parts["test"]]]))
        untaught = asked[(asked >= 0) & ~torch.isin(asked, taught)].tolist()
        if untaught:
            what = f"class {', '.join(map(str, untaught[:5]))} is tested but never trained"
            yield Finding("warning", what, f"{where}.train", "split by class, so that every class is in train")


def _edge_split(dataset: Dataset, split: EdgeSplit, where: str) -> Iterator[Finding]:
    nodes = dataset.graph.num_nodes
    names = (*PARTS, "valid_negative", "test_negative")
    in_range = True
    for name in names:
        pairs = getattr(split, name)
        if pairs.dim() != 2 or pairs.size(0) != 2:
            in_range = False
            what = f"{name} has shape {tuple(pairs.shape)}"
            yield Finding("error", what, f"{where}.{name}", "give pairs as (2, M): sources, targets")
        elif pairs.size(1) == 0:
            yield Finding("error", f"{name} is empty", f"{where}.{name}", "give every part some pairs")
        elif not 0 <= int(pairs.min()) <= int(pairs.max()) < nodes:
            in_range = False
            column = int(((pairs < 0) | (pairs >= nodes)).any(0).nonzero()[0])
            what = f"pair {pairs[:, column].tolist()} names a node that does not exist; ids lie in 0..{nodes - 1}"
            yield Finding("error", what, f"{where}.{name}, column {column}", "number the nodes from 0")
    if in_range:
        yield from _leaks(dataset, split, where)
        yield from _negatives(dataset, split, where)


def _leaks(dataset: Dataset, split: EdgeSplit, where: str) -> Iterator[Finding]:
    nodes = dataset.graph.num_nodes
    graph = ordered_keys(dataset.graph.edge_index, nodes)
    ordered = {name: ordered_keys(getattr(split, name), nodes) for name in PARTS}
    either = {name: unordered_keys(getattr(split, name), nodes) for name in PARTS}
    for name in ("valid", "test"):
        seen = _among(ordered[name], graph)
        backwards = _among(ordered_keys(getattr(split, name).flip(0), nodes), graph) & ~seen
        if bool(seen.any()):
            pair = getattr(split, name)[:, int(seen.nonzero()[0])].tolist()
            what = f"{int(seen.sum())} {name} edge(s) are in the message graph, such as {pair}: the answer is visible"
            yield Finding("error", what, f"{where}.{name}", "take them out of the graph", is_leak=True)
        if bool(backwards.any()):
            pair = getattr(split, name)[:, int(backwards.nonzero()[0])].tolist()
            what = f"the reverse of {int(backwards.sum())} {name} edge(s) is in the message graph, such as of {pair}"
            yield Finding("error", what, f"{where}.{name}", "keep (u, v) and (v, u) in one part", is_leak=True)
    for first, second in combinations(PARTS, 2):
        shared = _among(either[second], either[first])
        if bool(shared.any()):
            pair = getattr(split, second)[:, int(shared.nonzero()[0])].tolist()
            same = bool(_among(ordered[second], ordered[first]).any())
            how = "are in both parts" if same else "are in the other part backwards"
            what = f"{int(shared.sum())} edge(s) of {first} and {second} {how}, such as {pair}"
            yield Finding(
                "error", what, f"{where}.{first}, {where}.{second}", "keep (u, v) and (v, u) in one part", is_leak=True
            )


def _negatives(dataset: Dataset, split: EdgeSplit, where: str) -> Iterator[Finding]:
    graph, nodes = dataset.graph.edge_index, dataset.graph.num_nodes
    keys = unordered_keys if _is_symmetric(graph, nodes) else ordered_keys
    edges = torch.cat([keys(graph, nodes), *(keys(getattr(split, name), nodes) for name in PARTS)])
    for part in ("valid", "test"):
        name = f"{part}_negative"
        negatives, positives = getattr(split, name), getattr(split, part)
        real = _among(keys(negatives, nodes), edges)
        if bool(real.any()):
            pair = negatives[:, int(real.nonzero()[0])].tolist()
            what = f"{int(real.sum())} negative(s) are edges, such as {pair}"
            yield Finding(
                "error", what, f"{where}.{name}", "draw negatives among pairs that are not joined", is_leak=True
            )
        loops = int((negatives[0] == negatives[1]).sum())
        if loops:
            what = f"{loops} negative(s) join a node to itself"
            yield Finding("warning", what, f"{where}.{name}", "draw pairs of different nodes")
        per_edge = split.negatives_per_edge
        if per_edge is not None and negatives.size(1) != per_edge * positives.size(1):
            what = f"{negatives.size(1)} negatives do not make {per_edge} for each of {positives.size(1)} positives"
            yield Finding("error", what, f"{where}.{name}", "give negatives_per_edge for every positive, in order")


def _is_symmetric(edges: Tensor, nodes: int) -> bool:
    forward, backward = (np.sort(ordered_keys(pairs, nodes).numpy()) for pairs in (edges, edges.flip(0)))
    return np.array_equal(forward, backward)


def _among(keys: Tensor, others: Tensor) -> Tensor:
    return among(keys, torch.from_numpy(np.sort(others.numpy())))
