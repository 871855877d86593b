"""PyG's GATConv of the same width with a residual (the attention of one hop, by message passing), and its subgraphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from scipy.sparse.csgraph import shortest_path
from torch import Tensor, nn
from torch_geometric.nn import GATConv
from torch_geometric.utils import k_hop_subgraph, subgraph, to_scipy_sparse_matrix

TAKES_WEIGHTS = False  # one hop: another function, with weights of its own


def graph(edge_index: Tensor, num_nodes: int) -> Tensor:
    return edge_index


def layer(in_channels: int, spec: dict[str, Any]) -> nn.Module:
    conv: nn.Module = GATConv(
        in_channels, spec["channels"], heads=spec["heads"], add_self_loops=False, bias=False, residual=True
    )
    return conv


def partition(edge_index: Tensor, spec: dict[str, Any]) -> Callable[[int], Iterator[tuple[int, int]]]:
    def epoch(number: int) -> Iterator[tuple[int, int]]:
        part = torch.randint(spec["parts"], (spec["nodes"],))
        for index in range(spec["parts"]):
            nodes = (part == index).nonzero().squeeze(1)
            edges, _ = subgraph(nodes, edge_index, relabel_nodes=True, num_nodes=spec["nodes"])
            yield len(nodes), edges.size(1)

    return epoch


def enclosing(edge_index: Tensor, pairs: Tensor, spec: dict[str, Any]) -> Tensor:
    sizes = []
    for pair in pairs.t():
        nodes, edges, ends, _ = k_hop_subgraph(
            pair, spec["hops"], edge_index, relabel_nodes=True, num_nodes=spec["nodes"]
        )
        target = (edges == ends[:, None]).all(0) | (edges == ends.flip(0)[:, None]).all(0)
        kept = edges[:, ~target]
        if spec["labels"]:
            drnl_labels(kept, len(nodes), int(ends[0]), int(ends[1]))
        sizes.append((len(nodes), kept.size(1)))
    return torch.tensor(sizes).t()


def drnl_labels(edges: Tensor, count: int, source: int, target: int) -> Tensor:
    """With SciPy's shortest paths, the usual way beside PyG."""
    matrix = to_scipy_sparse_matrix(edges, num_nodes=count).tocsr()
    distances = []
    for start, removed in ((source, target), (target, source)):
        others = np.delete(np.arange(count), removed)
        found = np.full(count, np.inf)
        at = int(np.searchsorted(others, start))
        found[others] = shortest_path(matrix[others][:, others], directed=False, unweighted=True, indices=at)
        distances.append(torch.from_numpy(found))
    total = torch.stack(distances).sum(0)
    half, odd = total.div(2, rounding_mode="floor"), total % 2
    labels = 1 + torch.minimum(*distances) + half * (half + odd - 1)
    labels[total.isinf()] = 0
    labels[[source, target]] = 1
    return labels.long()


SAMPLERS = {"partition": partition}
