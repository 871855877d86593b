"""PyG ``Data`` objects and datasets, in and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from agdn.data.dataset import Dataset, EdgeSplit, NodeSplit, Target
from agdn.data.errors import DataError
from agdn.data.readers.arrays import DEFAULT_METRIC
from agdn.graph import Graph

if TYPE_CHECKING:
    from torch_geometric.data import Data

MASKS = ("train_mask", "val_mask", "test_mask")


def from_pyg(
    source: Data | Sequence[Data] | Any,
    *,
    name: str | None = None,
    target: Target | None = None,
    metric: str | None = None,
) -> Dataset:
    """A dataset from a ``Data``, a PyG dataset of one graph, or the three ``Data`` of ``RandomLinkSplit``.

    Masks of shape ``(N,)`` or ``(N, splits)`` become splits; ``edge_attr`` and ``edge_weight`` come along.
    """
    if isinstance(source, tuple) and len(source) == 3 and hasattr(source[0], "edge_label_index"):
        return _from_link_split(source, name=name, metric=metric)
    data = _single(source)
    name = name or getattr(source, "name", None) or "pyg"
    edge_index = _edge_index(data)
    y, found = _labels(data)
    chosen = target or found
    return Dataset(
        name=str(name),
        graph=Graph(edge_index, data.num_nodes),
        target=chosen,
        metric=metric or DEFAULT_METRIC[chosen],
        splits=_node_splits(data),
        x=None if data.x is None else _dense(data.x).float(),
        y=y,
        edge_attr=None if data.edge_attr is None else _dense(data.edge_attr).float(),
        edge_weight=None if getattr(data, "edge_weight", None) is None else data.edge_weight.float(),
    )


def to_pyg(dataset: Dataset) -> Data:
    """A ``Data`` with the same tensors; several splits become masks of shape ``(N, splits)``.

    An edge split becomes ``train_edge``, ``valid_edge``, ``valid_negative_edge`` and so on, each ``(2, M)``.
    """
    from torch_geometric.data import Data

    fields: dict[str, Any] = {"x": dataset.x, "y": dataset.y, "edge_attr": dataset.edge_attr}
    if dataset.edge_weight is not None:
        fields["edge_weight"] = dataset.edge_weight
    data = Data(edge_index=dataset.graph.edge_index, num_nodes=dataset.graph.num_nodes, **fields)
    node_splits = [split for split in dataset.splits if isinstance(split, NodeSplit)]
    for mask, part in zip(MASKS, ("train", "valid", "test"), strict=True):
        if node_splits:
            table = torch.zeros(dataset.graph.num_nodes, len(node_splits), dtype=torch.bool)
            for column, split in enumerate(node_splits):
                table[getattr(split, part), column] = True
            data[mask] = table.squeeze(1)
    for edge_split in dataset.splits:
        if isinstance(edge_split, EdgeSplit):
            for part in ("train", "valid", "test", "valid_negative", "test_negative"):
                data[f"{part}_edge"] = getattr(edge_split, part)
    return data


def _single(source: Any) -> Any:
    if hasattr(source, "edge_stores") and not hasattr(source, "edge_index") and hasattr(source, "node_types"):
        raise DataError("from_pyg: a heterogeneous graph has several kinds of nodes; convert it with to_homogeneous()")
    if hasattr(source, "num_nodes") and hasattr(source, "keys"):
        return source
    try:
        length = len(source)
    except TypeError:
        raise DataError(f"from_pyg takes a Data or a PyG dataset, not {type(source).__name__}") from None
    if length != 1:
        raise DataError(f"from_pyg: this dataset holds {length} graphs; choose one of them, such as dataset[0]")
    return source[0]


def _edge_index(data: Any) -> Tensor:
    if getattr(data, "edge_index", None) is not None:
        edge_index: Tensor = data.edge_index.as_subclass(Tensor)
        return edge_index
    adjacency = getattr(data, "adj_t", None)
    if isinstance(adjacency, Tensor):
        edges: Tensor = adjacency.to_sparse_coo().coalesce().indices().flip(0)
        return edges
    raise DataError("from_pyg: this Data has neither edge_index nor a torch sparse adj_t")


def _dense(value: Tensor) -> Tensor:
    dense = value.to_dense() if value.layout != torch.strided else value
    return dense if dense.dim() > 1 else dense.unsqueeze(1)


def _labels(data: Any) -> tuple[Tensor | None, Target]:
    y = data.y
    if y is None:
        return None, "link"
    if y.size(0) != data.num_nodes:
        raise DataError(f"from_pyg: y has {y.size(0)} rows for {data.num_nodes} nodes; labels are of nodes")
    if y.dim() == 2 and y.size(1) > 1:
        return y.float(), "multilabel"
    y = y.reshape(-1)
    return (y.float(), "numeric") if y.is_floating_point() else (y.long(), "class")


def _node_splits(data: Any) -> tuple[NodeSplit, ...]:
    masks = [getattr(data, mask, None) for mask in MASKS]
    tables = [mask.reshape(mask.size(0), -1) for mask in masks if mask is not None]
    if len(tables) != len(MASKS):
        return ()
    widest = max(table.size(1) for table in tables)
    columns = [table.expand(-1, widest) for table in tables]
    return tuple(NodeSplit(*(table[:, split].nonzero().squeeze(1) for table in columns)) for split in range(widest))


def _from_link_split(parts: Sequence[Any], *, name: str | None, metric: str | None) -> Dataset:
    train, valid, test = parts
    positives = [part.edge_label_index[:, part.edge_label > 0] for part in parts]
    negatives = [part.edge_label_index[:, part.edge_label == 0] for part in (valid, test)]
    return Dataset(
        name=name or "pyg",
        graph=Graph(_edge_index(train), train.num_nodes),
        target="link",
        metric=metric or DEFAULT_METRIC["link"],
        splits=(EdgeSplit(*positives, *negatives),),
        x=None if train.x is None else _dense(train.x).float(),
        edge_attr=None if train.edge_attr is None else _dense(train.edge_attr).float(),
    )
