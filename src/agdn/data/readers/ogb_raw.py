"""The ``raw/`` part of an OGB folder: tables of numbers as ``.csv.gz``, or for the largest sets two ``.npz`` files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agdn.data.array_archive import read_npz
from agdn.data.csv_gz import Kind, read_csv
from agdn.data.errors import DataError
from agdn.data.pairs import checked_num_nodes

Names = tuple[str, ...]


@dataclass(frozen=True)
class RawFolder:
    """Arrays as the files hold them, with the files' names for messages."""

    pairs: np.ndarray  # (M, 2)
    num_nodes: int
    features: np.ndarray | None
    edge_features: np.ndarray | None
    labels: np.ndarray | None
    node_columns: dict[str, np.ndarray]
    edge_columns: dict[str, np.ndarray]
    edges_file: Path
    features_file: Path
    labels_file: Path
    notes: tuple[str, ...]


def read_raw(folder: Path, node_columns: Names, edge_columns: Names, *, labelled: bool) -> RawFolder:
    """All arrays of ``folder``; only edges, and labels where the task needs them, cannot be done without."""
    if (folder / "data.npz").exists():
        return _read_binary(folder, node_columns, edge_columns, labelled=labelled)
    if (folder / "edge.csv.gz").exists():
        return _read_tables(folder, node_columns, edge_columns, labelled=labelled)
    raise DataError(f"{folder} holds neither edge.csv.gz nor data.npz; without edges there is nothing to load")


def _read_tables(folder: Path, node_names: Names, edge_names: Names, *, labelled: bool) -> RawFolder:
    notes: list[str] = []
    pairs = read_csv(folder / "edge.csv.gz", kind="int64")
    labels_file = folder / "node-label.csv.gz"
    if labelled and not labels_file.exists():
        raise DataError(f"{labels_file} is missing; a node task cannot do without labels")
    labels = read_csv(labels_file, kind="float32") if labelled else None
    features = _optional(folder / "node-feat.csv.gz", "float32")
    num_nodes = _count(folder / "num-node-list.csv.gz")
    if num_nodes is None:
        rows = labels if labels is not None else features
        if rows is None:
            raise DataError(f"{folder / 'num-node-list.csv.gz'} is missing; write the number of nodes into it")
        num_nodes = len(rows)
        notes.append(f"raw/num-node-list.csv.gz is missing; the number of nodes is that of the rows, {num_nodes}")
    num_edges = _count(folder / "num-edge-list.csv.gz")
    if num_edges is None:
        notes.append("raw/num-edge-list.csv.gz is missing; the number of edges could not be checked")
    elif num_edges != len(pairs):
        raise DataError(f"{folder / 'edge.csv.gz'} has {len(pairs)} rows, but num-edge-list.csv.gz says {num_edges}")
    checked_num_nodes(num_nodes, len(pairs), str(folder / "num-node-list.csv.gz"))
    return _checked(
        RawFolder(
            pairs=pairs,
            num_nodes=num_nodes,
            features=features,
            edge_features=_optional(folder / "edge-feat.csv.gz", "float32"),
            labels=labels,
            node_columns=_columns(folder, "node", node_names, notes),
            edge_columns=_columns(folder, "edge", edge_names, notes),
            edges_file=folder / "edge.csv.gz",
            features_file=folder / "node-feat.csv.gz",
            labels_file=labels_file,
            notes=tuple(notes),
        )
    )


def _read_binary(folder: Path, node_names: Names, edge_names: Names, *, labelled: bool) -> RawFolder:
    path, labels_file = folder / "data.npz", folder / "node-label.npz"
    columns = (*(f"node_{name}" for name in node_names), *(f"edge_{name}" for name in edge_names))
    arrays = read_npz(path, ("edge_index", "num_nodes_list"), ("node_feat", "edge_feat", *columns))
    if labelled and not labels_file.exists():
        raise DataError(f"{labels_file} is missing; a node task cannot do without labels")
    counts, edge_index = arrays["num_nodes_list"].reshape(-1), arrays["edge_index"]
    if len(counts) != 1 or counts.dtype.kind not in "iu":
        raise DataError(f"{path} holds {len(counts)} graphs; a set of one graph is expected")
    if edge_index.ndim != 2 or edge_index.shape[0] != 2:
        raise DataError(f"{path}, array edge_index has shape {edge_index.shape}; it must be (2, edges)")
    return _checked(
        RawFolder(
            pairs=edge_index.T,
            num_nodes=checked_num_nodes(int(counts[0]), edge_index.shape[1], str(path)),
            features=arrays.get("node_feat"),
            edge_features=arrays.get("edge_feat"),
            labels=read_npz(labels_file, ("node_label",))["node_label"] if labelled else None,
            node_columns={name: arrays[f"node_{name}"] for name in node_names if f"node_{name}" in arrays},
            edge_columns={name: arrays[f"edge_{name}"] for name in edge_names if f"edge_{name}" in arrays},
            edges_file=path,
            features_file=path / "node_feat",
            labels_file=labels_file,
            notes=tuple(f"raw/data.npz has no array {name}" for name in columns if name not in arrays),
        )
    )


def _checked(raw: RawFolder) -> RawFolder:
    rows_by_node = {raw.features_file.name: raw.features, **{f"node_{k}": v for k, v in raw.node_columns.items()}}
    rows_by_edge = {"edge features": raw.edge_features, **{f"edge_{k}": v for k, v in raw.edge_columns.items()}}
    for unit, count, tables in (("nodes", raw.num_nodes, rows_by_node), ("edges", len(raw.pairs), rows_by_edge)):
        for name, rows in tables.items():
            if rows is not None and (rows.ndim == 0 or len(rows) != count):
                raise DataError(
                    f"{raw.edges_file.parent}: {name} has {len(rows) if rows.ndim else 0} rows for {count} {unit}; "
                    "it must have one row each"
                )
            if rows is not None and rows.dtype.kind not in "biuf":
                raise DataError(f"{raw.edges_file.parent}: {name} holds {rows.dtype}, not numbers")
    return raw


def _optional(path: Path, kind: Kind) -> np.ndarray | None:
    return read_csv(path, kind=kind) if path.exists() else None


def _count(path: Path) -> int | None:
    counts = _optional(path, "int64")
    if counts is None:
        return None
    if counts.shape != (1, 1) or counts[0, 0] < 0:
        raise DataError(f"{path} must hold one number (one graph); it holds {counts.size}")
    return int(counts[0, 0])


def _columns(folder: Path, unit: str, names: Names, notes: list[str]) -> dict[str, np.ndarray]:
    columns = {}
    for name in names:
        # The proteins archive calls its file species.csv.gz; OGB's own loader renames it to node_species.csv.gz.
        found = [path for path in (folder / f"{unit}_{name}.csv.gz", folder / f"{name}.csv.gz") if path.exists()]
        if found:
            columns[name] = read_csv(found[0], kind="int64")
        else:
            notes.append(f"raw/{unit}_{name}.csv.gz is missing, so there is no column {name!r}")
    return columns
