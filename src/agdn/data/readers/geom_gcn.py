"""Chameleon, Squirrel and Actor in the text files of Geom-GCN, as PyG keeps them: directed edges and ten splits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from agdn.data.array_archive import read_npz
from agdn.data.dataset import Dataset, NodeSplit
from agdn.data.errors import DataError
from agdn.data.pairs import checked_ids, checked_pairs, directed_graph, sorted_unique

NODES, EDGES = "out1_node_feature_label.txt", "out1_graph_edges.txt"
MASKS = ("train_mask", "val_mask", "test_mask")


def read_geom_gcn(folder: Path, name: str) -> Dataset:
    """The set with its edges as listed, repeated ones merged. Actor lists the words of a node instead of 0s and 1s."""
    ids, cells, labels = _node_rows(folder / NODES)
    num_nodes = len(ids)
    order = checked_ids(ids, num_nodes, str(folder / NODES))
    if len(np.unique(order)) != num_nodes:
        raise DataError(f"{folder / NODES} must list the nodes 0..{num_nodes - 1}, each once")
    features = _word_lists(cells) if name == "actor" else _bits(cells, folder / NODES)
    x = np.empty_like(features)
    x[order] = features
    y = np.empty(num_nodes, np.int64)
    y[order] = labels
    pairs = checked_pairs(_edge_rows(folder / EDGES), num_nodes, str(folder / EDGES))
    keys = sorted_unique(pairs[:, 0] * num_nodes + pairs[:, 1])
    return Dataset(
        name=name,
        graph=directed_graph(np.stack([keys // num_nodes, keys % num_nodes], axis=1), num_nodes),
        target="class",
        metric="accuracy",
        splits=tuple(_split(path, num_nodes) for path in sorted(folder.glob("*_split_0.6_0.2_*.npz"))),
        x=torch.from_numpy(x),
        y=torch.from_numpy(y),
        notes=("the Geom-GCN version of this set: directed edges, with repeated nodes in Chameleon and Squirrel",),
    )


def _node_rows(path: Path) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    ids, cells, labels = [], [], []
    for number, line in _lines(path):
        parts = line.split("\t")
        try:
            node, words, label = parts
            ids.append(int(node))
            cells.append(np.array(words.split(","), dtype=np.int64))
            labels.append(int(label))
        except (ValueError, OverflowError):
            raise DataError(f"{path}, row {number} is not a node, its features and its class, parted by tabs") from None
    if not ids:
        raise DataError(f"{path} lists no nodes")
    try:
        return np.array(ids, np.int64), cells, np.array(labels, np.int64)
    except OverflowError:
        raise DataError(f"{path} holds a number beyond 2^63") from None


def _edge_rows(path: Path) -> np.ndarray:
    rows = []
    for number, line in _lines(path):
        try:
            source, target = line.split("\t")
            rows.append((int(source), int(target)))
        except ValueError:
            raise DataError(f"{path}, row {number} is not two node ids parted by a tab") from None
    try:
        return np.array(rows, np.int64).reshape(-1, 2)
    except OverflowError:
        raise DataError(f"{path} holds a number beyond 2^63") from None


def _lines(path: Path) -> list[tuple[int, str]]:
    """Lines without the header, with their row numbers."""
    try:
        lines = path.read_text("utf-8", errors="replace").split("\n")
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None
    return [(number, line.rstrip("\r")) for number, line in enumerate(lines, start=1) if number > 1 and line.strip()]


def _bits(cells: list[np.ndarray], path: Path) -> np.ndarray:
    if len({len(row) for row in cells}) != 1:
        raise DataError(f"{path} has rows with different numbers of features")
    return np.stack(cells).astype(np.float32)


def _word_lists(cells: list[np.ndarray]) -> np.ndarray:
    words = np.concatenate(cells)
    if words.min() < 0 or words.max() >= 2**16:
        raise DataError(f"{NODES} holds word {words.max()}; words are numbered from 0 and below 65536")
    features = np.zeros((len(cells), int(words.max()) + 1), np.float32)
    features[np.repeat(np.arange(len(cells)), [len(row) for row in cells]), words] = 1
    return features


def _split(path: Path, num_nodes: int) -> NodeSplit:
    masks = read_npz(path, MASKS)
    if any(mask.shape != (num_nodes,) or mask.dtype.kind not in "biuf" for mask in masks.values()):
        raise DataError(f"{path} must hold {', '.join(MASKS)}, each with one value for each of the {num_nodes} nodes")
    return NodeSplit(*(torch.from_numpy(np.flatnonzero(masks[key])) for key in MASKS))
