"""Enclosing subgraphs that are asked for again and again, cut once and kept in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from agdn.ops.enclosing import Enclosed
from agdn.ops.subgraphs import trusted_graph


class _Piece(NamedTuple):
    """The subgraph of one pair, its nodes numbered from 0."""

    nodes: np.ndarray
    labels: np.ndarray
    degrees: np.ndarray
    sources: np.ndarray
    origin: np.ndarray


class KeptSubgraphs:
    """What ``cut`` makes of node pairs, which for each pair does not depend on the others.

    Args:
        cut: (2, P) pairs -> their subgraphs.
    """

    def __init__(self, cut: Callable[[Tensor], Enclosed]) -> None:
        self._cut = cut
        self._pieces: dict[tuple[int, ...], _Piece] = {}

    def __len__(self) -> int:
        return len(self._pieces)

    def of(self, pairs: Tensor) -> Enclosed:
        """The subgraphs of (2, P) pairs; those that are new are cut and kept."""
        asked = [tuple(pair) for pair in pairs.t().tolist()]
        new = [pair for pair in dict.fromkeys(asked) if pair not in self._pieces]
        if new:
            self._keep(new, self._cut(torch.tensor(new, device=pairs.device).t().contiguous()))
        return _joined([self._pieces[pair] for pair in asked], pairs.device)

    def _keep(self, pairs: list[tuple[int, ...]], found: Enclosed) -> None:
        graph, ptr = found.graph.to("cpu"), found.ptr.cpu().numpy()
        nodes, labels = found.nodes.cpu().numpy(), found.labels.cpu().numpy()
        rows, sources, origin = graph.indptr.numpy(), graph.indices.numpy(), graph.order.numpy()
        for pair, first, end in zip(pairs, ptr[:-1], ptr[1:], strict=True):
            edges = slice(rows[first], rows[end])
            self._pieces[pair] = _Piece(
                nodes[first:end].copy(),
                labels[first:end].copy(),
                np.diff(rows[first : end + 1]),
                sources[edges] - sources.dtype.type(first),
                origin[edges].copy(),
            )


def _joined(pieces: list[_Piece], device: torch.device) -> Enclosed:
    """As one disjoint union."""
    counts = np.array([len(piece.nodes) for piece in pieces], np.int64)
    ptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    nodes, labels, degrees, sources, origin = (np.concatenate(arrays) for arrays in zip(*pieces, strict=True))
    shift = np.repeat(ptr[:-1], [len(piece.sources) for piece in pieces]).astype(sources.dtype)
    rows = np.concatenate([np.zeros(1, np.int64), np.cumsum(degrees)])
    union = trusted_graph(rows, sources + shift, origin)
    ids, first, numbers = (torch.from_numpy(array).to(device) for array in (nodes, ptr, labels))
    return Enclosed(union.to(device), ids, first, numbers)
