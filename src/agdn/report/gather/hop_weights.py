"""How much of each hop is taken: spread over the nodes (HA) or the channels (HC) of a layer, and by degree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from agdn.experiments.prediction import LayerHops
from agdn.graph import Graph

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
Weigher = Literal["node", "channel", "layer"]


@dataclass(frozen=True)
class LayerWeights:
    """One layer of one run, or the mean over seeds.

    Attributes:
        layer: Its number, from 1.
        weigher: Who decides: every node, every channel, or the layer alone.
        hops: The hops that are weighed.
        quantiles: (5, K) of the weights of each hop, over nodes or channels.
        mean: (K,).
        by_degree: (B, K) sums of node weights by degree bin, with ``counts`` (B,); empty where nodes do not weigh.
    """

    layer: int
    weigher: Weigher
    hops: tuple[int, ...]
    quantiles: np.ndarray
    mean: np.ndarray
    by_degree: np.ndarray
    counts: np.ndarray


def hop_weights(layers: Sequence[LayerHops], graph: Graph) -> list[LayerWeights]:
    """A record a layer; a layer that tells too much (a weight a node and channel) is told by its channels' mean."""
    return [_summary(hops, graph) for hops in layers]


def mean_over_seeds(seeds: Sequence[Sequence[LayerWeights]]) -> list[LayerWeights]:
    """Layer by layer; degree bins are added up."""
    merged = []
    for layers in zip(*seeds, strict=True):
        bins = max(len(layer.counts) for layer in layers)
        merged.append(
            LayerWeights(
                layers[0].layer,
                layers[0].weigher,
                layers[0].hops,
                np.mean([layer.quantiles for layer in layers], axis=0),
                np.mean([layer.mean for layer in layers], axis=0),
                sum((_padded(layer.by_degree, bins) for layer in layers), np.zeros((bins, len(layers[0].hops)))),
                sum((_padded(layer.counts, bins) for layer in layers), np.zeros(bins, dtype=np.int64)),
            )
        )
    return merged


def degree_bin(index: int) -> str:
    """0, 1, 2-3, 4-7, ..."""
    if index < 2:
        return str(index)
    return f"{2 ** (index - 1)}\N{EN DASH}{2**index - 1}"


def _summary(hops: LayerHops, graph: Graph) -> LayerWeights:
    theta = hops.theta.detach().float()
    by_node = theta.size(0) == graph.num_nodes and theta.size(0) > 1
    numbers = tuple(range(hops.first_hop, hops.first_hop + theta.size(2)))
    counts: np.ndarray = np.zeros(0, dtype=np.int64)
    by_degree: np.ndarray = np.zeros((0, len(numbers)))
    if by_node:
        weights = theta.mean(dim=(1, 3)).double().numpy()  # (N, K)
        bins = _bins(graph)
        counts = np.bincount(bins)
        by_degree = np.stack([np.bincount(bins, weights=weights[:, hop]) for hop in range(len(numbers))], axis=1)
    else:
        weights = theta[0].permute(0, 2, 1).reshape(-1, len(numbers)).double().numpy()  # (H D, K)
    weigher: Weigher = "node" if by_node else "channel" if len(weights) > 1 else "layer"
    quantiles = np.quantile(weights, QUANTILES, axis=0)
    return LayerWeights(hops.layer, weigher, numbers, quantiles, weights.mean(0), by_degree, counts)


def _bins(graph: Graph) -> np.ndarray:
    """(N,) of each node by the number of neighbours that it hears, its own self-loop not counted."""
    loops = np.bincount(graph.targets[graph.indices == graph.targets].numpy(), minlength=graph.num_nodes)
    degree = graph.in_degree.numpy() - loops
    return np.where(degree > 0, np.log2(np.maximum(degree, 1)).astype(int) + 1, 0)


def _padded(rows: np.ndarray, count: int) -> np.ndarray:
    return np.concatenate([rows, np.zeros((count - len(rows), *rows.shape[1:]), dtype=rows.dtype)])
