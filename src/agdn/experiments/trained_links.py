"""A finished run that learnt links: its scores, the states of its nodes, and the links that it would add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agdn.data.dataset import Dataset
from agdn.experiments.column_file import check_place, write_columns
from agdn.experiments.config import Config
from agdn.experiments.device import usable_device
from agdn.experiments.embeddings import Embeddings
from agdn.experiments.link_assembly import link_inputs, link_task
from agdn.experiments.link_options import Link
from agdn.experiments.new_links import Candidates, new_links
from agdn.experiments.prepare import prepared_dataset
from agdn.experiments.result import Run
from agdn.ops.storage import Storage
from agdn.tasks.inputs import Inputs
from agdn.tasks.link import PARTS, LinkTask, states_of
from agdn.tasks.pair_scores import Watch, score_pairs


@dataclass(frozen=True)
class LinkPredictions:
    """Columns of one length: ``source``, ``rank``, ``target``, ``score``; ``said`` tells which pairs were looked at."""

    columns: Mapping[str, list[Any]]
    said: str

    def write(self, path: Path | str) -> None:
        """To a CSV or Parquet file, by its ending."""
        path = Path(path)
        check_place(path, "predictions")
        write_columns(path, self.columns)


@dataclass(frozen=True)
class TrainedLinks:
    """A model for links with the weights of its best epoch, in evaluation mode; called, it is the model itself.

    Attributes:
        inference_memory: Bytes of hidden states that may lie in memory at once; None computes all at once.
        watch: Told how far a long evaluation is.
    """

    run: Run
    config: Config
    model: nn.Module
    inference_memory: int | None = None
    watch: Watch | None = None

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.model(*arguments, **options)

    @property
    def link(self) -> Link:
        return self.config.link or Link()

    @cached_property
    def dataset(self) -> Dataset:
        """The data of the run, loaded when first asked for."""
        return prepared_dataset(self.config.data, self.run.seed)

    @cached_property
    def task(self) -> LinkTask:
        """What the run learnt, on its data."""
        return self._task()

    def _task(self, **changes: Any) -> LinkTask:
        link = self.link.model_copy(update=changes)
        return link_task(self.config, link, self.dataset, self.run.seed, parts=PARTS, watch=self.watch)

    @cached_property
    def inputs(self) -> Inputs:
        """The data of the run as its evaluation takes it."""
        inputs = link_inputs(self.config, self.link, self.dataset, usable_device(self.config.device))
        return inputs if self.inference_memory is None else inputs.stored(Storage(self.inference_memory))

    @cached_property
    def states(self) -> Any:
        """What the decoder reads of every node."""
        with torch.no_grad():
            return states_of(self.model, self.inputs.whole)

    def evaluate(self, *, hard_negatives: int | None = None) -> dict[str, dict[str, float]]:
        """Scores by part and metric, computed anew; with ``hard_negatives``, also among so many hard ones a link."""
        task = self.task if hard_negatives is None else self._task(hard_negatives=hard_negatives)
        with torch.no_grad():
            return task.evaluate(self.model, self.inputs, finished=True).scores

    def score(self, pairs: Tensor) -> Tensor:
        """(P,) of (2, P) pairs of rows; the higher, the likelier a link."""
        return score_pairs(self.model, self.states, pairs, self.link.eval_batch_size, watch=self.watch)

    def embed(self, layer: int | None = None) -> Embeddings:
        """The states of all nodes that the decoder reads."""
        if layer is not None:
            raise ValueError(
                "a model for links has one kind of states, those that its decoder reads; leave the layer out"
            )
        if not isinstance(self.states, Tensor):
            raise ValueError(f"{self.config.model['name']} reads the graph itself; it has no states of nodes")
        return Embeddings(self._ids, self.states.float().cpu().numpy(), 0)

    def predict(self, top_k: int = 20, *, candidates: Candidates = "auto") -> LinkPredictions:
        """For every node the ``top_k`` nodes that it is most likely to be linked to and is not yet."""
        source, target, score, said = new_links(
            self.score, self.dataset, top_k, candidates=candidates, watch=self.watch
        )  # fmt: skip
        rank = np.arange(len(source)) - np.searchsorted(source, source) + 1
        ids = self._ids
        columns = {
            "source": [ids[row] for row in source.tolist()],
            "rank": rank.tolist(),
            "target": [ids[row] for row in target.tolist()],
            "score": score.tolist(),
        }
        return LinkPredictions(columns, said)

    @property
    def _ids(self) -> list[Any]:
        ids = self.dataset.node_ids
        return list(range(self.dataset.graph.num_nodes)) if ids is None else ids.tolist()
