"""What the model of a run says about the test edges of its data and the pairs that they are measured against."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from agdn.data.dataset import Dataset, EdgeSplit
from agdn.experiments.load import load
from agdn.experiments.prediction import LayerHops, outputs_and_hops
from agdn.experiments.result import Run
from agdn.experiments.trained_links import TrainedLinks
from agdn.graph import Graph
from agdn.models import AGDN, LinkModel
from agdn.report.gather.same_data import require_same_nodes, require_same_score


@dataclass(frozen=True)
class LinkAnswers:
    """Of the test part of a run's data.

    Attributes:
        positive: (P,) scores of the test edges; the higher, the likelier a link.
        negative: (Q,) scores of the pairs that are no edges.
        hops: How the layers weighed their hops; empty for a model that has none.
    """

    trained: TrainedLinks
    positive: Tensor
    negative: Tensor
    hops: list[LayerHops]

    @property
    def run(self) -> Run:
        return self.trained.run

    @property
    def dataset(self) -> Dataset:
        return self.trained.dataset

    @property
    def split(self) -> EdgeSplit:
        return self.trained.task.split

    @cached_property
    def neighbours(self) -> Graph:
        """Who is joined to whom by training edges, in either direction, each once and nobody to himself."""
        return self.dataset.graph.undirected().without_self_loops()

    def node_id(self, node: int) -> Any:
        """The user's own id."""
        return node if self.dataset.node_ids is None else self.dataset.node_ids[node]


def link_answers(run: Run) -> LinkAnswers:
    """Load and ask the model; an error that tells why it cannot be asked, or that the data are no longer the same."""
    trained = load(run)
    assert isinstance(trained, TrainedLinks), "asked for a run that learnt links"
    require_same_nodes(run, trained.dataset)
    with torch.no_grad():
        positive, negative = trained.task.part_scores(trained.model, trained.inputs, "test")
    if not bool(positive.isfinite().all() and negative.isfinite().all()):
        raise ValueError("the model puts out infinity; its training went astray")
    require_same_score(run, trained.task.scores(positive, negative)[run.metric], len(positive))
    return LinkAnswers(trained, positive, negative, _hops(trained))


@torch.no_grad()
def _hops(trained: TrainedLinks) -> list[LayerHops]:
    model, whole = trained.model, trained.inputs.whole
    if not isinstance(model, LinkModel) or not isinstance(model.encoder, AGDN):
        return []
    return outputs_and_hops(model.encoder, replace(whole, x=model.given(whole.x, whole.nodes)))[1]
