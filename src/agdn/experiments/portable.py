"""A trained model in the form in which it leaves the library: features and edges in, outputs out, their meaning."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor, nn

from agdn.data.dataset import Dataset
from agdn.experiments.config import Data
from agdn.experiments.load import TrainedModel
from agdn.experiments.portable_edges import prepared_edges
from agdn.experiments.preparation import preparation
from agdn.experiments.prepare import row_scaled, scaled, with_edges
from agdn.graph import Graph
from agdn.tasks.inputs import Signals
from agdn.tasks.output import NodeOutput

INPUTS = {
    "x": "(nodes, {width}) float32 features",
    "edge_index": "(2, edges) int64, sources in row 0 and targets in row 1",
    "edge_attr": "(edges, {width}) float32 features of the edges",
    "edge_weight": "(edges,) float32 weights of the edges",
}
SUMMED_EDGES = "(nodes, {width}) float32, for every node the sum of the features of the edges that lead to it"
OUTPUTS = {
    "class": "(nodes, {width}) logits; softmax over a row gives the probabilities of the classes",
    "multilabel": "(nodes, {width}) logits; sigmoid gives the probability of each answer",
    "numeric": "(nodes,) numbers in the units of the target",
}


class Portable(nn.Module):
    """The model with what the ``data:`` section does to features and edges, and with numbers in the user's units."""

    def __init__(self, model: nn.Module, data: Data, output: NodeOutput) -> None:
        super().__init__()
        self.model, self.data, self.output = model, data, output

    def forward(
        self, x: Tensor, edge_index: Tensor, edge_attr: Tensor | None = None, edge_weight: Tensor | None = None
    ) -> Tensor:
        num_nodes = x.size(0)
        x = row_scaled(x) if self.data.scaling == "row" else x
        if _changes_edges(self.data):
            x = torch.cat([x, x.new_zeros(1, x.size(1))])
            edge_index, edge_attr, edge_weight = prepared_edges(
                edge_index, edge_attr, edge_weight, num_nodes, self.data
            )
        edges = {"edge_attr": edge_attr, "edge_weight": edge_weight}
        given = {name: signal for name, signal in edges.items() if signal is not None}
        outputs: Tensor = self.model(x, edge_index, **given)
        return self._read(outputs[:num_nodes])

    def expected(self, signals: dict[str, Tensor]) -> Tensor:
        """What the library itself gives for the same inputs: the yardstick."""
        edges = {name: signals.get(name) for name in ("edge_attr", "edge_weight")}
        graph = Graph(signals["edge_index"], len(signals["x"]))
        dataset = Dataset("given", graph, "class", "accuracy", x=signals["x"], **edges)  # type: ignore[arg-type]
        dataset = with_edges(scaled(dataset, self.data), self.data)
        whole = Signals(dataset.x, dataset.graph, dataset.edge_attr, dataset.edge_weight)
        return self._read(whole.outputs(self.model))

    def _read(self, outputs: Tensor) -> Tensor:
        return self.output.numbers(outputs) if self.output.target == "numeric" else outputs


def portable(trained: TrainedModel) -> Portable:
    """The model of a run, if it needs nothing but features and edges."""
    config = trained.config
    if config.data.degree:
        raise ValueError("the model of this run is given degrees as features (data.degree); a file would not have them")
    if config.data.node_ids != "none":
        raise ValueError("the model of this run knows its nodes by themselves (data.node_ids); a file could not")
    if config.data.walks is not None:
        raise ValueError("the model of this run is given features of walks (data.walks); a file would not have them")
    if config.data.edge_features == "mean":
        raise ValueError("the model of this run is given means of edge features; a file would not have them")
    if config.data.diffusion is not None:
        raise ValueError("the edges of this run are those of a diffusion (data.diffusion); a file could not make them")
    if config.task.labels is not None:
        raise ValueError("the model of this run is given the labels of its training nodes; a file would not have them")
    if config.task.correct_and_smooth is not None:
        raise ValueError("the outputs of this run are corrected by the labels of its data; a file would not have them")
    data = config.data
    if _changes_edges(data) and config.model.get("norm") == "pair":
        raise ValueError(
            "norm pair takes a mean over all nodes, and a file that changes edges works with one more; train on data "
            "that have their reverse edges and self-loops, with data.reverse_edges=none and data.self_loops=keep"
        )
    if not _has_features(trained):
        if _changes_edges(data):
            raise ValueError("without node features a file cannot change the edges that they are the sums of")
        data = data.model_copy(update={"scaling": "none"})
    model = copy.deepcopy(trained.model).cpu().requires_grad_(False)
    return Portable(model, data, trained.output).eval()


def random_signals(trained: TrainedModel, nodes: int, edges: int, seed: int) -> dict[str, Tensor]:
    """Inputs of a random graph; some nodes are isolated, some edges repeated, some lead back to where they start."""
    draw = torch.Generator().manual_seed(seed)
    widths = _widths(trained)
    made = {
        "x": torch.rand(nodes, widths["x"], generator=draw),
        "edge_index": torch.randint(nodes, (2, edges), generator=draw),
        "edge_attr": torch.rand(edges, widths["edge_attr"], generator=draw),
        "edge_weight": torch.rand(edges, generator=draw) + 0.5,
    }
    return {name: made[name] for name in _input_names(trained)}


def description(trained: TrainedModel) -> dict[str, Any]:
    """What the file holds, for who finds it without its run."""
    run, widths = trained.run, _widths(trained)
    inputs = INPUTS if _has_features(trained) else {**INPUTS, "x": SUMMED_EDGES}
    return {
        "format": "agdn-model",
        "format_version": 1,
        "name": run.name,
        "seed": run.seed,
        "data": run.dataset["name"],
        "inputs": {name: inputs[name].format(width=widths.get(name)) for name in _input_names(trained)},
        "done_inside": preparation(trained.config.data),
        "output": OUTPUTS[trained.output.target].format(width=run.dataset["out_channels"]),
        "class_names": trained.output.class_names,
        "versions": run.versions,
    }


def _input_names(trained: TrainedModel) -> list[str]:
    return ["x", "edge_index", *(name for name in ("edge_attr", "edge_weight") if name in _signals(trained))]


def _widths(trained: TrainedModel) -> dict[str, int]:
    width = int(trained.run.dataset["in_channels"])
    return {"x": width, "edge_attr": int(trained.config.model.get("edge_dim") or width)}


def _has_features(trained: TrainedModel) -> bool:
    return "x" in _signals(trained)


def _signals(trained: TrainedModel) -> list[str]:
    """Those that the model was given in training, from the record or, where it does not tell, from the data."""
    recorded: list[str] | None = trained.run.dataset.get("signals")
    if recorded is not None:
        return recorded
    return [name for name in ("x", "edge_attr", "edge_weight") if getattr(trained.dataset, name) is not None]


def _changes_edges(data: Data) -> bool:
    return data.reverse_edges != "none" or data.self_loops != "keep"
