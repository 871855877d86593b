"""OGB folders (``raw/``, ``split/<name>/``) -> Dataset, as OGB's own loader would give it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from agdn.data.csv_gz import read_text_rows
from agdn.data.dataset import Dataset, Target
from agdn.data.errors import DataError
from agdn.data.pairs import both_ways, checked_pairs, directed_graph
from agdn.data.readers.ogb_raw import RawFolder, read_raw
from agdn.data.readers.ogb_split import read_edge_split, read_node_split


@dataclass(frozen=True)
class OgbFacts:
    """What OGB's catalogue says about a set and its files do not.

    ``undirected`` sets list each edge once; their graph has both directions, one after the other.
    """

    target: Target
    metric: str
    split: str
    undirected: bool
    outputs: int = 1
    node_columns: tuple[str, ...] = ()
    edge_columns: tuple[str, ...] = ()
    has_features: bool = True


OGB_SETS = {
    "ogbn-arxiv": OgbFacts("class", "accuracy", "time", False, 40, node_columns=("year",)),
    "ogbn-products": OgbFacts("class", "accuracy", "sales_ranking", True, 47),
    "ogbn-papers100M": OgbFacts("class", "accuracy", "time", False, 172, node_columns=("year",)),
    "ogbn-proteins": OgbFacts(
        "multilabel", "rocauc", "species", True, 112, node_columns=("species",), has_features=False
    ),
    "ogbl-ppa": OgbFacts("link", "hits@100", "throughput", True),
    "ogbl-collab": OgbFacts("link", "hits@50", "time", True, edge_columns=("weight", "year")),
    "ogbl-ddi": OgbFacts("link", "hits@20", "target", True, has_features=False),
    "ogbl-citation2": OgbFacts("link", "mrr", "time", False, node_columns=("year",)),
}


def read_ogb(folder: Path, name: str) -> Dataset:
    """The set ``name`` from its folder; what is missing but dispensable becomes a note on the dataset."""
    facts = OGB_SETS[name]
    raw = read_raw(folder / "raw", facts.node_columns, facts.edge_columns, labelled=facts.target != "link")
    notes = list(raw.notes)
    if facts.has_features and raw.features is None:
        notes.append(
            f"raw/{raw.features_file.name} is missing, so there are no built-in node features; "
            "give features=FILE.npy, learn embeddings, or fetch the file"
        )
    pairs = checked_pairs(raw.pairs, raw.num_nodes, str(raw.edges_file))
    repeats = 2 if facts.undirected else 1
    split_folder = folder / "split" / facts.split
    splits, split_notes = (
        read_edge_split(split_folder, pairs, raw.num_nodes)
        if facts.target == "link"
        else read_node_split(split_folder, raw.num_nodes)
    )
    weight = raw.edge_columns.get("weight")
    return Dataset(
        name=name,
        graph=directed_graph(both_ways(pairs) if facts.undirected else pairs, raw.num_nodes),
        target=facts.target,
        metric=facts.metric,
        splits=splits,
        x=_float(raw.features),
        y=_labels(raw, facts),
        edge_attr=_repeated(raw.edge_features, repeats),
        edge_weight=None if weight is None else _repeated(weight.reshape(-1), repeats),
        class_names=_class_names(folder / "mapping", facts.outputs) if facts.target == "class" else None,
        extra={
            **{column: torch.from_numpy(values.reshape(-1)) for column, values in raw.node_columns.items()},
            **{
                f"edge_{column}": torch.from_numpy(np.repeat(values.reshape(-1), repeats))
                for column, values in raw.edge_columns.items()
                if column != "weight"
            },
        },
        notes=(*notes, *split_notes),
    )


def _labels(raw: RawFolder, facts: OgbFacts) -> Tensor | None:
    labels = raw.labels
    if labels is None:
        return None
    width = facts.outputs if facts.target == "multilabel" else 1
    if labels.ndim != 2 or labels.shape != (raw.num_nodes, width):
        raise DataError(
            f"{raw.labels_file} holds labels of shape {labels.shape}; "
            f"it must hold {raw.num_nodes} rows (nodes) of {width} value(s)"
        )
    if facts.target == "multilabel":
        return _float(labels)
    classes = np.where(np.isnan(labels), -1, labels).reshape(-1)
    fractional = classes != np.floor(classes)
    if fractional.any():
        row = int(fractional.argmax())
        raise DataError(f"{raw.labels_file}, row {row + 1} holds {classes[row]}; a class is a whole number")
    return torch.from_numpy(classes.astype(np.int64))


def _class_names(folder: Path, count: int) -> tuple[str, ...] | None:
    for path in sorted(folder.glob("labelidx2*.csv.gz")):
        names = [row[1] for row in read_text_rows(path) if len(row) > 1]
        if len(names) == count:
            return tuple(names)
    return None


def _repeated(values: np.ndarray | None, repeats: int) -> Tensor | None:
    return None if values is None else _float(np.repeat(values, repeats, axis=0) if repeats > 1 else values)


def _float(values: np.ndarray | None) -> Tensor | None:
    return None if values is None else torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32))
