"""Arrays of node pairs on their way into a graph: checked against the number of nodes, turned both ways."""

from __future__ import annotations

import numpy as np
import torch

from agdn.data.errors import DataError
from agdn.graph import Graph

MAX_NODES_PER_ROW = 1000  # a file that announces more nodes than this for each of its rows is not believed


def checked_pairs(pairs: np.ndarray, num_nodes: int, where: str) -> np.ndarray:
    """``(M, 2)`` int64 pairs whose ids lie in range; the first row that does not is named."""
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise DataError(f"{where} holds {pairs.dtype} of shape {pairs.shape}; it must hold rows of two node ids")
    pairs = pairs.astype(np.int64, copy=False)
    outside = ((pairs < 0) | (pairs >= num_nodes)).any(axis=1)
    if outside.any():
        row = int(outside.argmax())
        source, target = pairs[row].tolist()
        raise DataError(
            f"{where}, row {row + 1} joins nodes {source} and {target}, but ids must lie in 0..{num_nodes - 1}"
        )
    return pairs


def checked_ids(ids: np.ndarray, num_nodes: int, where: str) -> np.ndarray:
    """``(M,)`` int64 node ids that lie in range; the first row that does not is named."""
    if ids.dtype.kind not in "iu" or ids.ndim not in (1, 2) or (ids.ndim == 2 and ids.size and ids.shape[1] != 1):
        raise DataError(f"{where} holds {ids.dtype} of shape {ids.shape}; it must hold one node id a row")
    ids = ids.reshape(-1).astype(np.int64, copy=False)
    outside = (ids < 0) | (ids >= num_nodes)
    if outside.any():
        row = int(outside.argmax())
        raise DataError(f"{where}, row {row + 1} is node {ids[row]}, but ids must lie in 0..{num_nodes - 1}")
    return ids


def checked_num_nodes(num_nodes: int, rows: int, where: str) -> int:
    """A believable number of nodes: memory is allocated for each of them."""
    if not 0 < num_nodes <= MAX_NODES_PER_ROW * (rows + MAX_NODES_PER_ROW):
        raise DataError(f"{where} announces {num_nodes} nodes, which its {rows} rows of data make no sense of")
    return num_nodes


def both_ways(pairs: np.ndarray) -> np.ndarray:
    """Every pair followed by its reverse: rows 2i and 2i + 1 are pair i."""
    doubled = np.repeat(pairs, 2, axis=0)
    doubled[1::2] = doubled[1::2, ::-1].copy()
    return doubled


def directed_graph(pairs: np.ndarray, num_nodes: int) -> Graph:
    """The pairs as edges source -> target, in their own order."""
    return Graph(torch.from_numpy(np.ascontiguousarray(pairs.T)), num_nodes)


def symmetric_graph(pairs: np.ndarray, num_nodes: int) -> Graph:
    """Both directions of every pair, each once, without self-loops, sorted by source."""
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    keys = sorted_unique(np.concatenate([pairs[:, 0] * num_nodes + pairs[:, 1], pairs[:, 1] * num_nodes + pairs[:, 0]]))
    return directed_graph(np.stack([keys // max(num_nodes, 1), keys % max(num_nodes, 1)], axis=1), num_nodes)


def sorted_unique(keys: np.ndarray) -> np.ndarray:
    """``np.unique`` by sorting: NumPy's own takes a hash table, ten times slower on tens of millions of keys."""
    keys = np.sort(keys)
    first = np.ones(len(keys), bool)
    first[1:] = keys[1:] != keys[:-1]
    return keys[first]
