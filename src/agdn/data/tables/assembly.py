"""Nodes, edges and options -> Dataset: the order of work of an import, each step in a file of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from agdn.data.dataset import Dataset, NodeSplit, Target
from agdn.data.errors import DataError
from agdn.data.tables import links
from agdn.data.tables.edges import Edges, end_columns, read_edges
from agdn.data.tables.features import Features, edge_features, id_column, node_features
from agdn.data.tables.ids import IdMap
from agdn.data.tables.node_split import node_parts, read_times
from agdn.data.tables.options import ImportOptions
from agdn.data.tables.table_file import Table, require_columns
from agdn.data.tables.target import read_labels
from agdn.graph import Graph

METRICS: dict[Target, str] = {"class": "accuracy", "multilabel": "rocauc", "numeric": "mae", "link": "hits@50"}
NO_FEATURES = Features((), None, None)


@dataclass(frozen=True)
class Assembly:
    """The dataset, what became of the columns, and what the user should hear about."""

    dataset: Dataset
    nodes: Features
    edges: Features
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class MessageGraph:
    """The graph with its edge signals, in the order of its own edges."""

    graph: Graph
    weight: Tensor | None
    attributes: Tensor | None
    remarks: tuple[str, ...]


def assemble(nodes: Table | None, edges: Table, options: ImportOptions, name: str) -> Assembly:
    """Nodes with a target are classified or regressed; without one, links are predicted."""
    if not options.target:
        return _assemble_links(nodes, edges, options, name)
    if nodes is None:
        raise DataError(f"target {', '.join(options.target)!r} needs a table of nodes to stand in")
    return _assemble_nodes(nodes, edges, options, name)


def _assemble_nodes(nodes: Table, edges: Table, options: ImportOptions, name: str) -> Assembly:
    require_columns(nodes, [*options.target, *filter(None, (options.split_column, options.time_column))])
    ids = IdMap.of_column(nodes, id_column(nodes, options))
    labels = read_labels(nodes, options.target, task=options.task, separator=options.separator, missing=options.missing)
    times = read_times(nodes, options.time_column, options.missing) if options.time_column else None
    parts = node_parts(nodes, labels, times, options)
    features = node_features(nodes, options, train=parts[0])
    ends = end_columns(edges, options.source_column, options.destination_column)
    read = read_edges(edges, ids, ends, grow=False, weight=options.weight_column, missing=options.missing)
    attributes = edge_features(edges, options, taken={*ends, options.weight_column})
    message = message_graph(read, attributes.values, len(ids), directed=options.directed)
    dataset = Dataset(
        name=name,
        graph=message.graph,
        target=labels.task,
        metric=options.metric or METRICS[labels.task],
        splits=(NodeSplit(*map(torch.from_numpy, parts)),),
        x=features.values,
        y=torch.from_numpy(labels.y),
        edge_attr=message.attributes,
        edge_weight=message.weight,
        node_ids=ids.array(),
        class_names=labels.names,
        extra={} if times is None else {str(options.time_column): torch.from_numpy(times)},
    )
    return Assembly(dataset, features, attributes, (*labels.remarks, *message.remarks))


def _assemble_links(nodes: Table | None, edges: Table, options: ImportOptions, name: str) -> Assembly:
    ids = IdMap() if nodes is None else IdMap.of_column(nodes, id_column(nodes, options))
    features = NO_FEATURES if nodes is None else node_features(nodes, options, train=None)
    ends = end_columns(edges, options.source_column, options.destination_column)
    read = read_edges(
        edges,
        ids,
        ends,
        grow=nodes is None,
        weight=options.weight_column,
        time=options.time_column,
        missing=options.missing,
    )
    attributes = edge_features(edges, options, taken={*ends, options.weight_column, options.time_column})
    proper = np.flatnonzero(read.ends[0] != read.ends[1])
    loops = read.ends.shape[1] - len(proper)
    read = read.part(proper)
    edge_split, train = links.link_split(
        read.ends, len(ids), options.fractions, seed=options.seed, time=read.time, directed=options.directed
    )
    values = None if attributes.values is None else attributes.values[torch.from_numpy(proper[train])]
    message = message_graph(read.part(train), values, len(ids), directed=options.directed)
    dataset = Dataset(
        name=name,
        graph=message.graph,
        target="link",
        metric=options.metric or METRICS["link"],
        splits=(edge_split,),
        x=features.values,
        edge_attr=message.attributes,
        edge_weight=message.weight,
        node_ids=ids.array(),
    )
    left_out = (f"{loops:,} self-loops were left out: they are no link to predict",) if loops else ()
    return Assembly(dataset, features, attributes, (*left_out, *message.remarks))


def message_graph(read: Edges, attributes: Tensor | None, num_nodes: int, *, directed: bool) -> MessageGraph:
    """Edges as they stand, or also backwards and then merged, with weights and attributes to match."""
    weight = None if read.weight is None else torch.from_numpy(read.weight)
    listed = Graph(torch.from_numpy(read.ends), num_nodes)
    if directed:
        return MessageGraph(listed, weight, attributes, ())
    both = listed.undirected()
    weight, attributes = (None if signal is None else both.carry(signal) for signal in (weight, attributes))
    loops = int((both.indices == both.targets).sum())
    repeated = listed.num_edges - (both.num_edges + loops) // 2
    remarks = (f"{repeated:,} edges that repeat an earlier one were merged with it",) if repeated else ()
    own = Graph.from_parts(both.indptr, both.indices, both.order, size=(num_nodes, num_nodes))
    return MessageGraph(own, weight, attributes, remarks)
