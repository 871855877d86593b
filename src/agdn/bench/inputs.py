"""The inputs of a comparison as .npy files, so that every program starts from the same numbers and weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from agdn.bench.graphs import BenchGraph
from agdn.models import APPNP, DAGNN, GCN, GPRGNN, TAGCN, HadamardMLP, LinkModel
from agdn.models.agdn import AGDN
from agdn.nn.conv import AGDNConv

SAMPLED_ROWS = 1000


def write_layer(folder: Path, graph: BenchGraph, *, in_channels: int, channels: int, heads: int) -> Path:
    """Features, upstream gradient, edges, the weights of an AGDN-HA layer, and the rows that are compared."""
    folder.mkdir()
    generator = np.random.default_rng(0)
    n = graph.num_nodes
    _write(folder, "edge_index", graph.edge_index)
    _write(folder, "x", generator.standard_normal((n, in_channels), np.float32))
    _write(folder, "upstream", generator.standard_normal((n, heads * channels), np.float32))
    _write(folder, "sample", generator.permutation(n)[:SAMPLED_ROWS])
    torch.manual_seed(0)
    _write_weights(folder, AGDNConv(in_channels, channels, heads=heads))
    return folder


def write_model(folder: Path, graph: BenchGraph, *, in_channels: int, channels: int, classes: int) -> Path:
    """Features, labels, training nodes (54 % as in ogbn-arxiv), edges and the weights of the arxiv preset."""
    folder.mkdir()
    generator = np.random.default_rng(0)
    _write(folder, "edge_index", graph.edge_index)
    _write_task(folder, generator, graph.num_nodes, in_channels, classes)
    torch.manual_seed(0)
    _write_weights(folder, AGDN.preset("arxiv", in_channels, classes, hidden_channels=channels))
    return folder


def write_baselines(
    folder: Path, graph: BenchGraph, *, in_channels: int, classes: int, models: tuple[str, ...]
) -> Path:
    """Features, labels, training nodes, edges, the parameters of every model as one vector, and rows to compare."""
    folder.mkdir()
    generator = np.random.default_rng(0)
    _write(folder, "edge_index", graph.edge_index)
    _write_task(folder, generator, graph.num_nodes, in_channels, classes)
    _write(folder, "sample", generator.permutation(graph.num_nodes)[:SAMPLED_ROWS])
    torch.manual_seed(0)
    parameters = {name: baseline(name, in_channels, classes).parameters() for name in models}
    vectors = {name: nn.utils.parameters_to_vector(own).detach().numpy() for name, own in parameters.items()}
    np.savez(folder / "weights.npz", **vectors)  # type: ignore[arg-type]
    return folder


def baseline(name: str, in_channels: int, classes: int) -> nn.Module:
    """A system of the paper's comparison, as large as it is measured."""
    ends: Any = {"in_channels": in_channels, "out_channels": classes, "dropout": 0.5}
    builders: dict[str, Callable[[], nn.Module]] = {
        "GCN": lambda: GCN(hidden_channels=256, num_layers=3, **ends),
        "APPNP": lambda: APPNP(hidden_channels=256, hops=10, alpha=0.1, **ends),
        "DAGNN": lambda: DAGNN(hidden_channels=256, hops=10, **ends),
        "TAGCN": lambda: TAGCN(hidden_channels=128, hops=3, **ends),
        "GPR-GNN": lambda: GPRGNN(hidden_channels=256, hops=10, **ends),
    }
    return builders[name]()


def write_graph(folder: Path, graph: BenchGraph) -> Path:
    """Edges alone."""
    folder.mkdir()
    _write(folder, "edge_index", graph.edge_index)
    return folder


def write_pairs(folder: Path, *, num_nodes: int, channels: int, num_pairs: int) -> Path:
    """Node states, node pairs and an upstream gradient."""
    folder.mkdir()
    generator = np.random.default_rng(0)
    _write(folder, "h", generator.standard_normal((num_nodes, channels), np.float32))
    _write(folder, "pairs", generator.integers(0, num_nodes, (2, num_pairs)))
    _write(folder, "upstream", generator.standard_normal((num_pairs, channels), np.float32))
    return folder


def write_link_step(folder: Path, graph: BenchGraph, *, channels: int, positives: int, per_edge: int) -> Path:
    """Edges, node pairs (edges, then other pairs for each) and the weights of the ddi preset with its decoder."""
    folder.mkdir()
    generator = np.random.default_rng(0)
    known = graph.edge_index[:, generator.integers(graph.edge_index.shape[1], size=positives)]
    others = generator.integers(0, graph.num_nodes, (2, positives * per_edge))
    _write(folder, "edge_index", graph.edge_index)
    _write(folder, "pairs", np.concatenate([known, others], axis=1))
    torch.manual_seed(0)
    _write_weights(folder, ddi_model(graph.num_nodes, channels))
    return folder


def ddi_model(num_nodes: int, channels: int, **options: Any) -> LinkModel:
    """The published network for ogbl-ddi, of any size."""
    encoder = AGDN.preset("ddi", channels, channels, hidden_channels=channels, **options)
    decoder = HadamardMLP(channels, num_layers=2, dropout=0.4)
    return LinkModel(encoder, decoder, state_channels=channels, num_nodes=num_nodes, embedding_channels=channels)


def _write_task(folder: Path, generator: np.random.Generator, nodes: int, in_channels: int, classes: int) -> None:
    _write(folder, "x", generator.standard_normal((nodes, in_channels), np.float32))
    _write(folder, "labels", generator.integers(0, classes, nodes))
    _write(folder, "train", generator.permutation(nodes)[: max(1, round(0.537 * nodes))])


def _write(folder: Path, name: str, values: np.ndarray[Any, Any]) -> None:
    np.save(folder / f"{name}.npy", values, allow_pickle=False)


def _write_weights(folder: Path, module: nn.Module) -> None:
    np.savez(folder / "weights.npz", **{name: tensor.numpy() for name, tensor in module.state_dict().items()})
