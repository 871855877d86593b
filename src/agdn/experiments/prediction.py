"""Predictions as columns: ids, what is predicted, how surely, and which hops each node looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from agdn.experiments.column_file import check_place, write_columns
from agdn.graph import Graph
from agdn.models import AGDN
from agdn.tasks.inputs import Signals
from agdn.tasks.output import NodeOutput


@dataclass(frozen=True)
class LayerHops:
    """How a layer weighed its hops.

    Attributes:
        layer: Its number, from 1.
        first_hop: The hop of the first weight.
        theta: Broadcastable to (N, H, hops in the sum, D).
    """

    layer: int
    first_hop: int
    theta: Tensor

    def of_nodes(self, num_nodes: int) -> Tensor | None:
        """(N, hops in the sum), the mean over heads; None where it is not nodes that weigh."""
        if self.theta.size(0) != num_nodes or self.theta.size(-1) != 1:
            return None
        return self.theta.squeeze(-1).mean(1)


@dataclass(frozen=True)
class Predictions:
    """Columns by name, all of one length: ``id``, ``prediction``, ``probability_<class>``, ``layer_<l>_hop_<k>``."""

    columns: Mapping[str, list[Any]]

    def part(self, rows: Tensor) -> Predictions:
        places = rows.tolist()
        return Predictions({name: [values[place] for place in places] for name, values in self.columns.items()})

    def write(self, path: Path | str) -> None:
        """To a CSV or Parquet file, by its ending."""
        path = Path(path)
        check_suffix(path)
        write_columns(path, self.columns)


def check_suffix(path: Path) -> None:
    """Before any work is done."""
    check_place(path, "predictions")


def predict(
    model: nn.Module,
    signals: Signals,
    output: NodeOutput,
    ids: Sequence[Any],
    *,
    finished: Callable[[Tensor, Graph], Tensor] | None = None,
) -> Predictions:
    """What the model, in evaluation mode, says about every node; ``finished`` is done to its outputs."""
    columns: dict[str, list[Any]] = {"id": list(ids)}
    with torch.no_grad():
        outputs, layers = outputs_and_hops(model, signals)
        outputs = outputs if finished is None else finished(outputs, signals.graph)
    decoded = output.decode(outputs.cpu())
    names = output.class_names or tuple(map(str, range(outputs.size(1))))
    if output.target == "class":
        columns["prediction"] = [names[value] for value in decoded.values.tolist()]
    elif output.target == "numeric":
        columns["prediction"] = decoded.values.tolist()
    else:
        columns |= {f"prediction_{name}": decoded.values[:, task].tolist() for task, name in enumerate(names)}
    if decoded.probabilities is not None:
        for column, name in enumerate(names):
            columns[f"probability_{name}"] = decoded.probabilities[:, column].tolist()
    for hops in layers:
        weights = hops.of_nodes(signals.graph.num_nodes)
        if weights is not None:
            names = tuple(f"layer_{hops.layer}_hop_{hops.first_hop + hop}" for hop in range(weights.size(1)))
            columns |= {name: weights[:, hop].tolist() for hop, name in enumerate(names)}
    return Predictions(columns)


def outputs_and_hops(model: nn.Module, signals: Signals) -> tuple[Tensor, list[LayerHops]]:
    """(N, C) outputs and, of a model whose layers weigh hops and tell how, these weights."""
    if not isinstance(model, AGDN):
        return signals.outputs(model), []
    thetas: list[Tensor | None]
    if signals.storage is not None:
        outputs, thetas = signals.outputs_in_blocks(model)
    else:
        outputs, layers = model(signals.x, signals.graph, signals.edge_attr, signals.edge_weight, return_weights=True)
        thetas = [weights.hops for weights in layers]
    told = [
        LayerHops(layer, getattr(conv.weighting, "first_hop", 0), theta.cpu())
        for layer, (conv, theta) in enumerate(zip(model.convs, thetas, strict=True), 1)
        if theta is not None
    ]
    return outputs, told
