"""The npz of the heterophilous benchmark: features, labels, unique undirected edges and ten fixed splits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from agdn.data.array_archive import read_npz
from agdn.data.dataset import Dataset, NodeSplit
from agdn.data.errors import DataError
from agdn.data.pairs import checked_pairs, symmetric_graph

MASKS = ("train_masks", "val_masks", "test_masks")
SCORED_BY_AUC = frozenset({"minesweeper", "tolokers", "questions"})


def read_heterophilous(path: Path, name: str) -> Dataset:
    """The set with a symmetric graph; the three with two unbalanced classes are scored by ROC-AUC."""
    arrays = read_npz(path, ("node_features", "node_labels", "edges", *MASKS))
    features, labels = arrays["node_features"], arrays["node_labels"]
    if features.ndim != 2 or features.dtype.kind not in "biuf":
        raise DataError(f"{path}: node_features must be a table of numbers, it is {features.dtype}{features.shape}")
    num_nodes = len(features)
    if labels.shape != (num_nodes,) or labels.dtype.kind not in "biu":
        raise DataError(f"{path}: node_labels must hold one whole number for each of the {num_nodes} nodes")
    for key in MASKS:
        if arrays[key].dtype != np.bool_ or arrays[key].ndim != 2 or arrays[key].shape[1] != num_nodes:
            raise DataError(f"{path}: {key} must be booleans of shape (splits, {num_nodes})")
    if len({len(arrays[key]) for key in MASKS}) != 1:
        raise DataError(f"{path}: {', '.join(MASKS)} hold different numbers of splits")
    pairs = checked_pairs(arrays["edges"], num_nodes, f"{path}, array edges")
    return Dataset(
        name=name,
        graph=symmetric_graph(pairs, num_nodes),
        target="class",
        metric="rocauc" if name in SCORED_BY_AUC else "accuracy",
        splits=tuple(
            NodeSplit(*(torch.from_numpy(np.flatnonzero(mask)) for mask in masks))
            for masks in zip(*(arrays[key] for key in MASKS), strict=True)
        ),
        x=torch.from_numpy(features.astype(np.float32)),
        y=torch.from_numpy(labels.astype(np.int64)),
    )
