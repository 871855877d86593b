"""New tables of nodes and edges -> the same features as at the import, ready for a model that was trained on it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from agdn.data.dataset import Dataset
from agdn.data.errors import DataError
from agdn.data.tables.assembly import message_graph
from agdn.data.tables.edges import Edges, end_columns, read_edges
from agdn.data.tables.features import id_column
from agdn.data.tables.ids import IdMap
from agdn.data.tables.importing import ImportRecord
from agdn.data.tables.table_file import Table, TableSource, open_table, require_columns


@dataclass(frozen=True)
class NewRows:
    """A dataset without labels and splits; ``rows`` are the nodes that the new table names."""

    dataset: Dataset
    rows: Tensor


def new_rows(record: ImportRecord, nodes: TableSource, edges: TableSource, known: Dataset | None = None) -> NewRows:
    """Features and graph of new nodes.

    Where every edge lies between nodes of the new table, the tables stand by themselves. Where edges name other
    nodes, these must be nodes of ``known``, the dataset of the import: the new nodes are then joined to its graph.
    """
    node_table, edge_table = open_table(nodes), open_table(edges)
    if record.nodes is None:
        raise DataError("the import had no table of nodes; there are no features to make of a new one")
    own_id = id_column(node_table, record.options)
    ids = IdMap.of_column(node_table, own_id)
    features = torch.from_numpy(record.nodes.apply(node_table))
    ends = end_columns(edge_table, record.options.source_column, record.options.destination_column)
    require_columns(edge_table, ends)
    if known is not None and (stranger := _stranger(edge_table, ends, node_table, own_id)) is not None:
        return _joined(record, ids, features, edge_table, ends, known, stranger)
    read, attributes = _read(record, edge_table, ids, ends)
    message = message_graph(read, attributes, len(ids), directed=record.options.directed)
    dataset = Dataset(
        name=node_table.name,
        graph=message.graph,
        target="class" if known is None else known.target,
        metric="" if known is None else known.metric,
        x=features if features.size(1) else None,
        edge_attr=message.attributes,
        edge_weight=message.weight,
        node_ids=ids.array(),
    )
    return NewRows(dataset, torch.arange(len(ids)))


def _joined(
    record: ImportRecord,
    fresh: IdMap,
    features: Tensor,
    edges: Table,
    ends: tuple[str, str],
    known: Dataset,
    stranger: str,
) -> NewRows:
    """The graph of the import with the new nodes behind its own."""
    if known.node_ids is None or (known.x is None) != (features.size(1) == 0):
        raise DataError(f"{edges.name} names the node {stranger!r}, which the new table of nodes lacks")
    ids = IdMap()
    old = [str(name) for name in known.node_ids.tolist()]
    ids.add(old, edges, 1)
    new = [str(name) for name in fresh.array().tolist()]
    repeated = sorted(set(old) & set(new))
    if repeated:
        raise DataError(
            f"the new table holds the node {repeated[0]!r} of the old data, and {edges.name} names {stranger!r}, which "
            "only the old data has; give new nodes other ids, or all nodes that the edges name"
        )
    ids.add(new, edges, 1)
    read, attributes = _read(record, edges, ids, ends)
    message = message_graph(read, attributes, len(ids), directed=record.options.directed)
    dataset = Dataset(
        name=known.name,
        graph=type(known.graph)(torch.cat([known.graph.edge_index, message.graph.edge_index], dim=1), len(ids)),
        target=known.target,
        metric=known.metric,
        x=None if known.x is None else torch.cat([known.x, features]),
        edge_attr=_behind(known.edge_attr, message.attributes),
        edge_weight=_behind(known.edge_weight, message.weight),
        node_ids=ids.array(),
    )
    return NewRows(dataset, torch.arange(len(old), len(ids)))


def _read(record: ImportRecord, edges: Table, ids: IdMap, ends: tuple[str, str]) -> tuple[Edges, Tensor | None]:
    options = record.options
    if options.weight_column is not None:
        require_columns(edges, [options.weight_column])
    read = read_edges(edges, ids, ends, grow=False, weight=options.weight_column, missing=options.missing)
    attributes = None if record.edges is None else torch.from_numpy(record.edges.apply(edges))
    return read, attributes


def _stranger(edges: Table, ends: tuple[str, str], nodes: Table, own_id: str) -> str | None:
    """A node that the edges name and the table of nodes lacks."""
    named = {cell.strip() for batch in nodes.batches([own_id]) for cell in batch.columns[own_id]}
    for batch in edges.batches(list(ends)):
        for end in ends:
            for cell in batch.columns[end]:
                if cell.strip() not in named:
                    return cell.strip()
    return None


def _behind(old: Tensor | None, new: Tensor | None) -> Tensor | None:
    return None if old is None or new is None else torch.cat([old, new])
