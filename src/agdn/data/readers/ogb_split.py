"""The ``split/<name>/`` part of an OGB folder: node ids as ``.csv.gz``, node pairs as ``.pt``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agdn.data.csv_gz import read_csv
from agdn.data.dataset import EdgeSplit, NodeSplit
from agdn.data.errors import DataError
from agdn.data.pairs import checked_ids, checked_pairs
from agdn.data.torch_file import read_torch

PARTS = ("train", "valid", "test")
Notes = tuple[str, ...]


def read_node_split(folder: Path, num_nodes: int) -> tuple[tuple[NodeSplit, ...], Notes]:
    """The published split, or none and a note where the whole folder is absent."""
    if not folder.exists():
        return (), (f"split/{folder.name} is missing, so there is no published split; make one with agdn.data.splits",)
    whole = folder / "split_dict.pt"
    parts = _mapping(read_torch(whole), whole) if whole.exists() else {}
    tensors = {}
    for part in PARTS:
        path, ids = (whole, parts[part]) if part in parts else _node_part(folder, part)
        if not isinstance(ids, np.ndarray):
            raise DataError(f"{path}: the {part} part holds {type(ids).__name__}, not an array of node ids")
        tensors[part] = torch.from_numpy(checked_ids(ids, num_nodes, str(path)))
    return (NodeSplit(**tensors),), ()


def read_edge_split(folder: Path, raw_pairs: np.ndarray, num_nodes: int) -> tuple[tuple[EdgeSplit, ...], Notes]:
    """The published split. Without a train file, the raw edges are the training edges: OGB's graph holds no others."""
    if not folder.exists():
        return (), (
            f"split/{folder.name} is missing, so there is no published split; make one with agdn.data.edge_splits",
        )
    parts = {part: _pair_part(folder, part) for part in PARTS}
    missing = [part for part in ("valid", "test") if parts[part] is None]
    if missing:
        raise DataError(f"{folder / missing[0]}.pt is missing; without it the set can be neither tuned nor scored")
    notes = (
        () if parts["train"] else (f"split/{folder.name}/train.pt is missing; the training edges are the raw edges",)
    )
    train = _positives(parts["train"], num_nodes, folder / "train.pt") if parts["train"] else _columns(raw_pairs)
    valid_negative, per_edge = _negatives(parts["valid"] or {}, num_nodes, folder / "valid.pt")
    test_negative, _ = _negatives(parts["test"] or {}, num_nodes, folder / "test.pt")
    split = EdgeSplit(
        train=train,
        valid=_positives(parts["valid"] or {}, num_nodes, folder / "valid.pt"),
        test=_positives(parts["test"] or {}, num_nodes, folder / "test.pt"),
        valid_negative=valid_negative,
        test_negative=test_negative,
        negatives_per_edge=per_edge,
    )
    return (split,), notes


def _node_part(folder: Path, part: str) -> tuple[Path, Any]:
    table, tensors = folder / f"{part}.csv.gz", folder / f"{part}.pt"
    if table.exists():
        return table, read_csv(table, kind="int64")
    if tensors.exists():
        return tensors, read_torch(tensors)
    raise DataError(f"{folder / part}.csv.gz is missing; a split needs train, valid and test")


def _pair_part(folder: Path, part: str) -> dict[str, Any] | None:
    whole, single = folder / "split_dict.pt", folder / f"{part}.pt"
    if single.exists():
        return _mapping(read_torch(single), single)
    if whole.exists():
        return _mapping(_mapping(read_torch(whole), whole).get(part), whole)
    return None


def _mapping(value: Any, path: Path) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DataError(f"{path} holds {type(value).__name__}; it must hold a dictionary of arrays")
    return value


def _array(part: dict[str, Any], key: str, path: Path) -> np.ndarray:
    if not isinstance(part.get(key), np.ndarray):
        raise DataError(f"{path} holds no array {key!r}; it holds {', '.join(map(str, part)) or 'nothing'}")
    array: np.ndarray = part[key]
    return array


def _positives(part: dict[str, Any], num_nodes: int, path: Path) -> Tensor:
    if "source_node" in part:
        source, target = _array(part, "source_node", path), _array(part, "target_node", path)
        if source.ndim != 1 or source.shape != target.shape:
            raise DataError(f"{path}: source_node and target_node must be two flat arrays of the same length")
        return _columns(checked_pairs(np.stack([source, target], axis=1), num_nodes, str(path)))
    return _columns(checked_pairs(_array(part, "edge", path), num_nodes, f"{path}, array edge"))


def _negatives(part: dict[str, Any], num_nodes: int, path: Path) -> tuple[Tensor, int | None]:
    """All negatives of the part, or (with ``target_node_neg``) as many for each positive."""
    if "target_node_neg" not in part:
        return _columns(checked_pairs(_array(part, "edge_neg", path), num_nodes, f"{path}, array edge_neg")), None
    source, targets = _array(part, "source_node", path), _array(part, "target_node_neg", path)
    if targets.ndim != 2 or len(targets) != len(source):
        raise DataError(f"{path}: target_node_neg has shape {targets.shape}; it must have one row for each positive")
    checked_ids(targets.reshape(-1), num_nodes, f"{path}, array target_node_neg")
    pairs = torch.empty((2, targets.size), dtype=torch.int64)
    pairs[0] = torch.from_numpy(source.astype(np.int64)).repeat_interleave(targets.shape[1])
    pairs[1] = torch.from_numpy(targets.reshape(-1).astype(np.int64))
    return pairs, targets.shape[1]


def _columns(pairs: np.ndarray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(pairs.T))
