"""A node task on a graph in parts: every rank computes its share of the loss, rank 0 the scores."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

from agdn.data.dataset import Dataset
from agdn.distributed.world import World
from agdn.graph import Graph
from agdn.ops.halo import own_ids
from agdn.tasks.evaluation import Evaluation
from agdn.tasks.inputs import Inputs, Signals
from agdn.tasks.label_input import Labelled
from agdn.tasks.node import NodeTask


class PartNodeTask(NodeTask):
    """As :class:`NodeTask`; labels and split are those of the whole graph, by its node ids."""

    def __init__(self, dataset: Dataset, *, world: World, **options: Any) -> None:
        super().__init__(dataset, **options)
        self.world = world
        self._drawn_at_once = len(self.split.train)

    def _asks_for(self, labelled: Labelled) -> bool:
        return True  # a rank without training nodes takes part with a loss of zero

    @cached_property
    def _sorted_train(self) -> tuple[Tensor, Tensor]:
        ids, order = self.split.train.sort()
        return ids, order

    def _places_in_training(self, nodes: Tensor) -> Tensor:
        """(M,) where each node stands in the training part, -1 elsewhere; no table of all nodes is built."""
        ids, order = self._sorted_train
        at = torch.searchsorted(ids, nodes).clamp(max=max(len(ids) - 1, 0))
        return torch.where(ids[at] == nodes, order[at], -1)

    def _labelled(self, given: Signals) -> Labelled:
        assert given.nodes is not None
        positions = self._places_in_training(given.nodes.cpu())
        rows = (positions >= 0).nonzero().squeeze(1)
        return Labelled(rows, positions[rows], torch.ones(len(rows), dtype=torch.bool))

    def _known_rows(self, graph: Graph) -> tuple[Tensor, Tensor]:
        nodes = own_ids(graph)
        assert nodes is not None
        rows = (self._places_in_training(nodes) >= 0).nonzero().squeeze(1)
        return rows, nodes[rows]

    def evaluate(self, model: nn.Module, inputs: Inputs, *, finished: bool = False) -> Evaluation:
        """Outputs of the scored nodes go to rank 0, its scores to all."""
        outputs = self.outputs(model, inputs)
        outputs = self.finished(outputs, inputs.whole.graph) if finished else outputs
        nodes = own_ids(inputs.whole.graph)
        assert nodes is not None
        rows = torch.isin(nodes, self._scored).nonzero().squeeze(1)
        ids = self.world.collected(nodes[rows], "ids of scored nodes")
        answers = self.world.collected(outputs[rows].detach().float().cpu(), "outputs of scored nodes")

        def evaluated() -> dict[str, Any]:
            assert ids is not None
            assert answers is not None
            known, order = ids.sort()
            evaluation = self._evaluation(lambda asked: answers[order[torch.searchsorted(known, asked)]])
            return {"scores": evaluation.scores, "valid_loss": evaluation.valid_loss}

        return Evaluation(**self.world.first_does(evaluated))

    @cached_property
    def _scored(self) -> Tensor:
        return torch.cat([getattr(self.split, part) for part in self.parts])
