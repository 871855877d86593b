"""``agdn.load``: a finished run as a model that predicts, with the transforms of its data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from agdn.data.dataset import Dataset
from agdn.data.errors import DataError
from agdn.data.tables import ImportRecord
from agdn.data.tables.new_rows import new_rows
from agdn.data.tables.table_file import TableSource
from agdn.experiments.auto_sampling import kept, settled
from agdn.experiments.config import Config
from agdn.experiments.device import usable_device
from agdn.experiments.embeddings import Embeddings
from agdn.experiments.link_assembly import build_link_model
from agdn.experiments.memory_size import memory_size
from agdn.experiments.prediction import LayerHops, Predictions, outputs_and_hops, predict
from agdn.experiments.prepare import as_seen, prepared_dataset
from agdn.experiments.result import Run, read_run
from agdn.experiments.run_folder import TRANSFORMS, WEIGHTS, read_config
from agdn.experiments.trained_links import TrainedLinks
from agdn.models import build_model
from agdn.models.layers import chosen_layer, hidden_states
from agdn.ops.storage import Storage
from agdn.tasks.inputs import Inputs, Signals
from agdn.tasks.node import NodeTask
from agdn.tasks.output import NodeOutput
from agdn.tasks.pair_scores import Watch
from agdn.training.checkpoint import load_weights


@dataclass(frozen=True)
class TrainedModel:
    """A model with the weights of its best epoch, in evaluation mode; called, it is the model itself.

    Attributes:
        inference_memory: Bytes of hidden states that may lie in memory at once, beyond which they go to mapped files;
            None computes all at once.
    """

    run: Run
    config: Config
    model: nn.Module
    inference_memory: int | None = None

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.model(*arguments, **options)

    @cached_property
    def dataset(self) -> Dataset:
        """The data of the run, loaded when first asked for."""
        return prepared_dataset(self.config.data, self.run.seed)

    @property
    def output(self) -> NodeOutput:
        """How the model's outputs are read."""
        return NodeOutput.from_json(self.run.output)

    @cached_property
    def task(self) -> NodeTask:
        """What the run learnt, on its data."""
        return NodeTask(self.dataset, **self.config.task.options())

    def outputs(self) -> Tensor:
        """(N, C) of every node of its data."""
        inputs = self._inputs()
        return self.task.finished(self.task.outputs(self.model, inputs), inputs.whole.graph)

    @torch.no_grad()
    def outputs_and_hops(self) -> tuple[Tensor, list[LayerHops]]:
        """The same, and how the layers weighed their hops."""
        signals = self.task.given(self.model, self._signals(self.dataset))
        outputs, hops = outputs_and_hops(self.model, signals)
        return self.task.finished(outputs, signals.graph), hops

    @torch.no_grad()
    def given(self) -> Signals:
        """What the model is given in evaluation about all of its data at once."""
        return self.task.given(self.model, replace(self._signals(self.dataset), storage=None))

    def evaluate(self) -> dict[str, dict[str, float]]:
        """Scores by part and metric, computed anew."""
        with torch.no_grad():
            return self.task.evaluate(self.model, self._inputs(), finished=True).scores

    def embed(self, layer: int | None = None) -> Embeddings:
        """What the model knows about every node of its data after ``layer``, by default in front of its output."""
        layer = chosen_layer(self.model, layer)
        with torch.no_grad():
            signals = self.given()
            states = hidden_states(self.model, layer, lambda: signals.outputs(self.model))
        return Embeddings(_ids(self.dataset), states.float().cpu().numpy(), layer)

    def predict(self, nodes: TableSource | None = None, edges: TableSource | None = None) -> Predictions:
        """What the model says about every node of its data, or about the nodes of new tables.

        New tables have the columns of those that were imported, the target aside. Edges may lie among the new nodes,
        or join them to the nodes of the data.
        """
        if nodes is None and edges is None:
            with torch.no_grad():
                signals = self.task.given(self.model, self._signals(self.dataset))
            return predict(self.model, signals, self.output, _ids(self.dataset), finished=self.task.finished)
        if nodes is None or edges is None:
            raise ValueError("to predict for new nodes give both tables, nodes and edges")
        if self.config.task.labels is not None or self.config.task.correct_and_smooth is not None:
            raise ValueError("this model uses the labels of its training nodes; it predicts for the nodes of its data")
        if self.config.data.walks is not None:
            raise ValueError(
                "this model is given features of walks on its data's edges; it predicts for the nodes there"
            )
        if self.config.data.node_ids != "none":
            raise ValueError("this model knows each node of its data by itself (data.node_ids); it predicts for those")
        record = ImportRecord.read(self.run.folder / TRANSFORMS, of=f"the data of {self.run.folder}")
        found = new_rows(record, nodes, edges, self._imported())
        dataset = as_seen(found.dataset, self.config.data)
        return predict(self.model, self._signals(dataset), self.output, _ids(dataset)).part(found.rows)

    def _imported(self) -> Dataset | None:
        """The dataset as it was imported; None where its folder is no longer there."""
        from agdn.data.store import open_dataset

        try:
            return open_dataset(self.config.data.name)
        except (DataError, OSError):
            return None

    def _inputs(self) -> Inputs:
        """The data of the run as its evaluation takes it."""
        whole, (sampling, _) = self._signals(self.dataset), settled(self.config, kept(self.run.folder))
        return Inputs(whole, whole, views=() if sampling is None else sampling.views(whole.graph, self.run.seed))

    def _signals(self, dataset: Dataset) -> Signals:
        bare = self.config.task.labels is not None
        inputs = Inputs.of(dataset, device=usable_device(self.config.device), bare=bare)
        return (inputs if self.inference_memory is None else inputs.stored(Storage(self.inference_memory))).whole


def load(
    run: Run | Path | str, *, memory: str | int | None = None, watch: Watch | None = None
) -> TrainedModel | TrainedLinks:
    """The trained model of a run: a record such as ``result.runs[0]``, or the run's folder.

    ``memory``, such as ``"8GB"``: compute layer by layer, with no more hidden states than that in memory and the others
    in mapped files; by default as the run did. ``watch`` is told how far a long evaluation of links is.
    """
    record = run if isinstance(run, Run) else read_run(run)
    config = read_config(record.folder)
    if config.link is not None:
        return _load_links(record, config, memory, watch)
    width = {name: record.dataset[name] for name in ("in_channels", "out_channels")}
    model = build_model(config.model, **width).to(usable_device(config.device))
    load_weights(record.folder / WEIGHTS, model)
    limit = settled(config, kept(record.folder))[1] if memory is None else memory_size(memory)
    return TrainedModel(record, config, model.eval(), limit)


def load_nodes(run: Run | Path | str, what: str, *, memory: str | int | None = None) -> TrainedModel:
    """The same for what only a model of nodes can do."""
    trained = load(run, memory=memory)
    if isinstance(trained, TrainedLinks):
        raise ValueError(
            f"{trained.run.folder} predicts links; {what} is for models that predict something about nodes"
        )
    return trained


def _load_links(record: Run, config: Config, memory: str | int | None, watch: Watch | None) -> TrainedLinks:
    assert config.link is not None
    sizes = {"features": record.dataset["in_channels"], "num_nodes": record.dataset["nodes"]}
    model = build_link_model(config.model, config.link, **sizes).to(usable_device(config.device))
    load_weights(record.folder / WEIGHTS, model)
    limit = config.inference_memory if memory is None else memory_size(memory)
    return TrainedLinks(record, config, model.eval(), limit, watch)


def _ids(dataset: Dataset) -> list[Any]:
    return list(range(dataset.graph.num_nodes)) if dataset.node_ids is None else dataset.node_ids.tolist()
