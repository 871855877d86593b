"""Which hop nodes and channels listen to, by degree and by homophily.

HA gives every node i weights theta_ik; its mean hop is sum_k k theta_ik / sum_k theta_ik. HC gives every channel c
weights theta_kc of either sign; its mean hop takes |theta_kc|. The homophily of a node is the share of its neighbours
that have its label. Rank correlations (Spearman) say whether mean hop goes with either.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from pydantic import Field

from agdn.data.dataset import Dataset
from agdn.experiments.load import TrainedModel
from agdn.experiments.prediction import LayerHops
from agdn.experiments.section import Section
from agdn.graph import Graph
from agdn.report.gather.hop_weights import degree_bin, hop_weights
from agdn.studies.hop_networks import check_changes, weighted_cell
from agdn.studies.hops_page import hops_page
from agdn.studies.study import Cell, Study

NAME = "hops"
HOMOPHILY_BINS = 5


class Settings(Section):
    """Whose hop weights are looked at.

    Attributes:
        recipes: Of AGDN on nodes.
        weightings: HA (nodes weigh), HC (channels weigh).
    """

    recipes: tuple[str, ...] = Field(("cora/agdn", "chameleon/agdn"), min_length=1)
    weightings: tuple[Literal["HA", "HC"], ...] = Field(("HA", "HC"), min_length=1)


def cells(settings: Settings, changes: Sequence[str]) -> list[Cell]:
    check_changes(NAME, changes, {"weighting": settings.weightings})
    return [
        weighted_cell(NAME, recipe, changes, weighting, {"recipe": recipe, "weighting": weighting})
        for recipe in settings.recipes
        for weighting in settings.weightings
    ]


def observe(trained: TrainedModel) -> dict[str, Any]:
    """Of every layer: spread over nodes or channels, means by degree and by homophily, correlations."""
    dataset = trained.dataset
    _, layers = trained.outputs_and_hops()
    same = homophily(dataset)
    summaries = hop_weights(layers, dataset.graph)
    return {
        "layers": [
            {
                "layer": summary.layer,
                "weigher": summary.weigher,
                "hops": list(summary.hops),
                "mean": summary.mean.tolist(),
                "quantiles": summary.quantiles.tolist(),
                "by degree": _named_rows(
                    [degree_bin(place) for place in range(len(summary.counts))], summary.by_degree, summary.counts
                ),
                "each": np.round(_weights(layer, summary.weigher), 4).tolist(),
                **_of_nodes_or_channels(layer, summary.weigher, dataset, same),
            }
            for layer, summary in zip(layers, summaries, strict=True)
        ],
        "degrees": degrees(dataset.graph).tolist(),
        "homophily": None if same is None else [None if np.isnan(share) else round(share, 4) for share in same],
    }


def homophily(dataset: Dataset) -> np.ndarray | None:
    """(N,) share of the neighbours with a known label that have the node's; NaN without any. None without classes."""
    if dataset.target != "class" or dataset.y is None:
        return None
    y = dataset.y.numpy()
    sources, targets = dataset.graph.edge_index.numpy()
    told = (sources != targets) & (y[sources] >= 0) & (y[targets] >= 0)
    sources, targets = sources[told], targets[told]
    count = np.bincount(targets, minlength=len(y))
    same = np.bincount(targets, weights=y[sources] == y[targets], minlength=len(y))
    shares: np.ndarray = np.divide(same, count, out=np.full(len(y), np.nan), where=count > 0)
    return shares


def mean_hops(layer: LayerHops, weigher: str) -> np.ndarray:
    """(N,) of the nodes or (H D,) of the channels."""
    size = np.abs(_weights(layer, weigher))
    hops = layer.first_hop + np.arange(size.shape[1])
    found: np.ndarray = (size * hops).sum(1) / np.maximum(size.sum(1), 1e-12)
    return found


def _weights(layer: LayerHops, weigher: str) -> np.ndarray:
    """(N, hops) of the nodes or (H D, hops) of the channels."""
    theta = layer.theta.detach().double()
    weights = theta.mean(dim=(1, 3)) if weigher == "node" else theta[0].permute(0, 2, 1).flatten(0, 1)
    found: np.ndarray = weights.numpy()
    return found


def degrees(graph: Graph) -> np.ndarray:
    """(N,) edges that come in, loops left out."""
    loops = np.bincount(graph.targets[graph.indices == graph.targets].numpy(), minlength=graph.num_nodes)
    found: np.ndarray = graph.in_degree.numpy() - loops
    return found


def _of_nodes_or_channels(layer: LayerHops, weigher: str, dataset: Dataset, same: np.ndarray | None) -> dict[str, Any]:
    means = mean_hops(layer, weigher)
    found: dict[str, Any] = {"mean hop": float(means.mean()), "spread of mean hops": float(means.std())}
    if weigher != "node":
        return found
    found["with degree"] = correlation(degrees(dataset.graph), means)
    if same is None:
        return found
    known = ~np.isnan(same)
    found["with homophily"] = correlation(same[known], means[known])
    weights = _weights(layer, weigher)[known]
    bins = np.minimum((same[known] * HOMOPHILY_BINS).astype(int), HOMOPHILY_BINS - 1)
    sums = np.stack([np.bincount(bins, weights=column, minlength=HOMOPHILY_BINS) for column in weights.T], axis=1)
    step = 100 // HOMOPHILY_BINS
    names = [f"{place * step}\N{EN DASH}{(place + 1) * step} %" for place in range(HOMOPHILY_BINS)]
    found["by homophily"] = _named_rows(names, sums, np.bincount(bins, minlength=HOMOPHILY_BINS))
    return found


def correlation(first: np.ndarray, second: np.ndarray) -> float | None:
    """Spearman's; None where one of them is constant."""
    from scipy.stats import spearmanr

    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(spearmanr(first, second).statistic)


def _named_rows(names: Sequence[str], sums: np.ndarray, counts: np.ndarray) -> dict[str, Any]:
    """Means and counts of the bins that have nodes."""
    return {
        name: {"nodes": int(count), "mean": (row / count).tolist()}
        for name, row, count in zip(names, sums, counts, strict=True)
        if count
    }


STUDY = Study(
    name=NAME,
    summary="Which hop nodes (HA) and channels (HC) listen to, by degree and homophily.",
    settings=Settings,
    cells=cells,
    page=hops_page,
    observe=observe,
)
