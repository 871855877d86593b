"""The ``data:`` section and a seed -> the Dataset that a model is trained on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from agdn.data.dataset import Dataset, NodeSplit
from agdn.data.edge_splits import split_edges
from agdn.data.feature_file import check_seen_labels
from agdn.data.names import load_dataset
from agdn.data.splits import per_class_split, random_split, stratified_split
from agdn.embedding import walk_embedding
from agdn.experiments.config import (
    Data,
    EdgesSplit,
    PerClassSplit,
    PublishedSplit,
    RandomSplit,
    StratifiedSplit,
    Walks,
)
from agdn.graph import Graph
from agdn.ops import diffusion_graph, sum_over_targets

MOST_NODE_IDS = 20_000


def prepared_dataset(data: Data, seed: int) -> Dataset:
    """Loaded, split, scaled, and with the edges that the model is to see."""
    own_seed = seed if data.seed == "run" else data.seed
    dataset = load_dataset(
        data.name,
        data.root,
        split=None,
        seed=own_seed,
        features=data.features,
        join_features=data.join_features,
        options=data.options,
    )
    dataset = _with_split(dataset, data, own_seed)
    if isinstance(dataset.split, NodeSplit):
        for file in data.feature_files:
            check_seen_labels(Path(file), dataset.split.train.numpy())
    return _with_walks(as_seen(dataset, data), data.walks, own_seed)


def as_seen(dataset: Dataset, data: Data) -> Dataset:
    """Features and edges as a model is to see them."""
    return _with_signals(diffused(with_edges(scaled(with_means(dataset, data), data), data), data), data)


def scaled(dataset: Dataset, data: Data) -> Dataset:
    """Node features as ``data.scaling`` wants them."""
    if dataset.x is None or data.scaling == "none":
        return dataset
    return replace(dataset, x=row_scaled(dataset.x))


def row_scaled(x: Tensor) -> Tensor:
    """(N, F) with rows that sum to one; a row that sums to zero stays."""
    total = x.sum(1, keepdim=True)
    return x / torch.where(total == 0, 1.0, total)


def with_means(dataset: Dataset, data: Data) -> Dataset:
    """Where ``data`` wants that, with the means of the features of edges among those of nodes."""
    if data.edge_features != "mean":
        return dataset
    if dataset.edge_attr is None:
        raise ValueError(f"the edges of {dataset.name} have no features; leave data.edge_features=mean out")
    graph = dataset.graph
    total = sum_over_targets(dataset.edge_attr[graph.order], graph)
    means = total / graph.in_degree.clamp(min=1).unsqueeze(1)
    return _with_columns(replace(dataset, edge_attr=None), means)


def with_edges(dataset: Dataset, data: Data) -> Dataset:
    """The message graph with reverse edges and self-loops as ``data`` wants them; edge signals follow."""
    steps = []
    if data.reverse_edges != "none":
        steps.append(lambda graph: graph.undirected(coalesce=data.reverse_edges == "merge"))
    if data.self_loops == "add":
        steps.append(Graph.with_self_loops)
    elif data.self_loops == "remove":
        steps.append(Graph.without_self_loops)
    graph, weight, attributes = dataset.graph, dataset.edge_weight, dataset.edge_attr
    for step in steps:
        graph = step(graph)
        weight = None if weight is None else graph.carry(weight, fill=1.0)
        attributes = None if attributes is None else graph.carry(attributes)
    return replace(dataset, graph=graph, edge_weight=weight, edge_attr=attributes)


def diffused(dataset: Dataset, data: Data) -> Dataset:
    """With the weighted edges of ``data.diffusion`` in place of its own."""
    if data.diffusion is None:
        return dataset
    if dataset.edge_attr is not None and data.edge_features == "keep":
        raise ValueError(
            f"data.diffusion makes new edges, which have none of the features that edges of {dataset.name} have; "
            "leave these out with data.edge_features=drop"
        )
    options = data.diffusion.model_dump(exclude={"name"})
    graph, weight = diffusion_graph(dataset.graph, dataset.edge_weight, **options)
    return replace(dataset, graph=graph, edge_weight=weight, edge_attr=None)


def _with_signals(dataset: Dataset, data: Data) -> Dataset:
    """Without edge features, with degrees and node ids, where ``data`` wants that."""
    if data.edge_features == "drop":
        dataset = replace(dataset, edge_attr=None)
    if data.degree:
        dataset = _with_columns(dataset, dataset.graph.in_degree.float().log1p().unsqueeze(1))
    if data.node_ids == "none":
        return dataset
    return _with_node_ids(dataset if data.node_ids == "join" else replace(dataset, x=None))


def _with_node_ids(dataset: Dataset) -> Dataset:
    if (count := dataset.graph.num_nodes) > MOST_NODE_IDS:
        raise ValueError(
            f"data.node_ids gives each of the {count:,} nodes of {dataset.name} its own column, which is for up to "
            f"{MOST_NODE_IDS:,} nodes; data.walks makes vectors of nodes for larger graphs"
        )
    return _with_columns(dataset, torch.eye(count))


def _with_walks(dataset: Dataset, walks: Walks | None, seed: int) -> Dataset:
    """With features that walks on the message graph have learnt."""
    if walks is None:
        return dataset
    options = walks.model_dump(exclude={"channels"})
    learnt = walk_embedding(dataset.graph, dim=walks.channels, edge_weight=dataset.edge_weight, seed=seed, **options)
    return _with_columns(dataset, learnt)


def _with_columns(dataset: Dataset, columns: Tensor) -> Dataset:
    return replace(dataset, x=columns if dataset.x is None else torch.cat([dataset.x, columns], 1))


def _with_split(dataset: Dataset, data: Data, seed: int) -> Dataset:
    split = data.split
    if isinstance(split, PublishedSplit):
        if not dataset.splits:
            raise ValueError(
                f"{dataset.name} comes without a split; set data.split to random, stratified, per_class or edges"
            )
        return dataset.with_split(seed % len(dataset.splits) if split.index == "seed" else split.index)
    if isinstance(split, EdgesSplit):
        if dataset.target == "link" and dataset.splits:
            raise ValueError(f"the edges of {dataset.name} are split already; leave data.split out")
        return replace(split_edges(dataset, valid=split.valid, test=split.test, seed=seed), metric=split.metric)
    return replace(dataset, splits=(_drawn(dataset, split, seed),))


def _drawn(dataset: Dataset, split: RandomSplit | StratifiedSplit | PerClassSplit, seed: int) -> NodeSplit:
    if isinstance(split, RandomSplit):
        return random_split(dataset.graph.num_nodes, fractions=split.fractions, seed=seed)
    if dataset.y is None or dataset.target != "class":
        raise ValueError(f"{dataset.name} has no class a node; data.split.name={split.name} needs one")
    if isinstance(split, StratifiedSplit):
        return stratified_split(dataset.y, fractions=split.fractions, seed=seed)
    options = split.model_dump(exclude={"name"})
    return per_class_split(dataset.y, **options, seed=seed)
